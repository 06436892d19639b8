#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// The time of a job at its places, from when its members began to work until now, or until it
/// leaves them.
struct Stretch {
    SimTime since{};
    SimTime until{};
    std::int64_t run_time_factor = slow_down_unit;
    std::optional<Checkpoint> checkpoint;
    SimTime restart{};  ///< What was left of a restart at its beginning.
    /// A server that a member is on has failed, and nobody knows: nothing was done from then on.
    std::optional<SimTime> hung_since;
    bool interrupted = false;  ///< It ends with the loss of what is not written.

    /// What became of it up to a time in it, but for the time in which it hung.
    [[nodiscard]] TimeSpent spent_by(SimTime time) const;
    [[nodiscard]] TimeSpent spent() const { return spent_by(until); }
    [[nodiscard]] SimTime hung() const { return until - works_until(); }
    /// When the job had done so much work; nothing if it was interrupted, or hung, before or then.
    [[nodiscard]] std::optional<SimTime> reached(SimTime work) const;
    /// When a member of the stint did nothing any more.
    [[nodiscard]] SimTime end_of_work(const Stint& stint) const {
        return std::max(stint.start, std::min(stint.finish.value_or(until), works_until()));
    }
    /// The work of a member of the stint in it.
    [[nodiscard]] SimTime work_in(const Stint& stint) const;

private:
    [[nodiscard]] SimTime works_until() const {
        return std::clamp(hung_since.value_or(until), since, until);
    }
};

/// A member's time that its job has no lasting work from.
struct TimeWithoutGain {
    SimTime redone{};  ///< Work was done that has to be done again.
    SimTime writing{};
    SimTime restarting{};
    SimTime hung{};
};

/// Of the time of a member of a stint that ends with the stretch, what is in the window.
[[nodiscard]] TimeWithoutGain time_without_gain(const Stretch& stretch,
                                                const Stint& stint,
                                                const Window& window);

}  // namespace berth::sim
