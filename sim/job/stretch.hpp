#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// A job's time at its places, from when its members began to work until now, or until it leaves
/// them.
struct Stretch {
    SimTime since{};
    SimTime until{};
    std::int64_t run_time_factor = slow_down_unit;
    std::optional<Checkpoint> checkpoint;
    SimTime restart{};  ///< What was left of a restart, or of a launch, when the stretch began.
    /// When a server of one of its members failed unnoticed; nothing was done from then on.
    std::optional<SimTime> hung_since;
    bool interrupted = false;  ///< It ends with the loss of work that is not written.

    /// What the time up to `time`, which lies in the stretch, was spent on, without the time in
    /// which it hung.
    [[nodiscard]] TimeSpent spent_by(SimTime time) const;
    [[nodiscard]] TimeSpent spent() const { return spent_by(until); }
    [[nodiscard]] SimTime hung() const { return until - works_until(); }
    /// When the job had done `work`; nothing if it was interrupted, or hung, before or at that
    /// time.
    [[nodiscard]] std::optional<SimTime> reached(SimTime work) const;
    /// When a member of the stint stopped doing work.
    [[nodiscard]] SimTime end_of_work(const Stint& stint) const {
        return std::max(stint.start, std::min(stint.finish.value_or(until), works_until()));
    }
    /// The work that a member of the stint did in this stretch.
    [[nodiscard]] SimTime work_in(const Stint& stint) const;

private:
    [[nodiscard]] SimTime works_until() const {
        return std::clamp(hung_since.value_or(until), since, until);
    }
};

/// Time of a member that brought its job no lasting work.
struct TimeWithoutGain {
    SimTime redone{};  ///< Time of work that has to be done again.
    SimTime writing{};
    SimTime restarting{};
    SimTime hung{};
};

/// The parts that lie in the window, for a member of a stint that ends with the stretch.
[[nodiscard]] TimeWithoutGain time_without_gain(const Stretch& stretch,
                                                const Stint& stint,
                                                const Window& window);

}  // namespace berth::sim
