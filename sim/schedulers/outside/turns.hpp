#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// When a scheduler from outside has its next turns: it rings one timer at a time, the third, so
/// that a run in which nothing else is to come can end (Timer).
class Turns {
public:
    explicit Turns(Actions& actions) : actions_(actions) {}

    /// Something happens now, of which the scheduler has not decided yet.
    void after_this_instant() { request(actions_.now(), false); }
    /// The scheduler asks for a turn now or later.
    /// Errors: SchedulerError when it has asked for another turn ten thousand times while no time
    ///         went by.
    void ask(SimTime at);
    /// Nobody is left to decide about: turns to come would only make the run longer.
    void all_have_ended();
    /// The timer rings. Returns whether the scheduler had asked for this turn.
    [[nodiscard]] bool begin();

private:
    void request(SimTime at, bool asked);
    void arm();

    Actions& actions_;
    std::map<SimTime, bool> times_;  ///< To come, and whether the scheduler asked for each.
    std::optional<SimTime> rings_at_;
    SimTime last_{-1};                 ///< Of the last turn.
    std::uint32_t asked_at_once_ = 0;  ///< Turns asked for at that instant for that instant.
};

}  // namespace berth::sim
