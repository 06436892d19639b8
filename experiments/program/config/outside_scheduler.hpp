#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/support/value.hpp"
#include "sim/clock/time.hpp"
#include "sim/profile/profile_hooks.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::experiments {

/// A scheduler that somebody else wrote, as an experiment names it.
struct OutsideScheduler {
    /// In the order of outside_kinds().
    enum class Kind : std::uint8_t { batsim, python, caller };
    Kind kind = Kind::batsim;
    /// Its name is absolute in a resolved experiment. Empty: whoever runs the experiment knows the
    /// object by its name.
    std::string file;
    std::string object;                     ///< What of the file, such as a class.
    core::Value params;                     ///< What the object is made with: a map, or null.
    std::string init;                       ///< For a library as it begins.
    std::optional<sim::SimTime> timeout{};  ///< So long a library may take to decide.
    core::SourceSpan span;                  ///< Of the file's name.
    bool allowed = false;                   ///< Somebody said that its code may run.
    /// Makes the policy of one replication, whose random numbers come from this seed. For what
    /// berth cannot make itself, whoever runs the experiment fills it in.
    std::function<sim::MakePolicy(std::uint32_t replication, std::uint64_t seed)> make{};
    /// The same for one that makes single decisions, and leaves all else to the settings' profile.
    std::function<sim::MakeProfileHooks(std::uint32_t replication, std::uint64_t seed)>
        make_hooks{};
    /// Where something stands beside it that is for a profile.
    std::optional<core::SourceSpan> profile{};
};

}  // namespace berth::experiments
