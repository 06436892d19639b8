#pragma once

#include <optional>

#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Keeps books on which jobs run, for a part of the profile's scheduler.
class Follower {
public:
    Follower() = default;
    virtual ~Follower() = default;
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// `pods` more pods of a job run than before; its record already says so.
    virtual void runs(JobId id, core::Members pods) = 0;
    /// `pods` of a job's pods stop: those of `stints`.
    virtual void stops(JobId id, const Stints& stints, core::Members pods) = 0;
    /// The members of a running job are about to change.
    virtual void resizes(JobId /*id*/) {}
    /// Compares its books with a fresh computation, after an event.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() { return std::nullopt; }
};

}  // namespace berth::sim
