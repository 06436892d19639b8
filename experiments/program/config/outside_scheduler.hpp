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

/// A scheduler from outside berth, as an experiment names it.
struct OutsideScheduler {
    /// The kinds are in the order of outside_kinds().
    enum class Kind : std::uint8_t { batsim, python, caller };
    Kind kind = Kind::batsim;
    /// The file, by its absolute name in a resolved experiment. Empty: the program that runs the
    /// experiment knows the object by its name.
    std::string file;
    std::string object;                     ///< The object in the file, such as a class.
    core::Value params;                     ///< What the object is created with: a map, or null.
    std::string init;                       ///< The text that a library gets when it begins.
    std::optional<sim::SimTime> timeout{};  ///< How long a library may take to decide.
    core::SourceSpan span;                  ///< Place of the file's name.
    bool allowed = false;                   ///< Whether the user allowed its code to run.
    /// Makes the policy of one replication, whose random numbers come from this seed. For an object
    /// that berth cannot make itself, the program that runs the experiment sets this.
    std::function<sim::MakePolicy(std::uint32_t replication, std::uint64_t seed)> make{};
    /// The same for a scheduler that makes only single decisions, and leaves the rest to the
    /// settings' profile.
    std::function<sim::MakeProfileHooks(std::uint32_t replication, std::uint64_t seed)>
        make_hooks{};
    /// The place of a key beside it that is meant for a profile, if there is one.
    std::optional<core::SourceSpan> profile{};
};

}  // namespace berth::experiments
