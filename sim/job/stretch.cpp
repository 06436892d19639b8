#include "sim/job/stretch.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

TimeSpent Stretch::spent_by(SimTime time) const {
    BERTH_ASSERT(since <= until, "a stretch ends after it began");
    const SimTime ran = std::clamp(time, since, works_until()) - since;
    if (checkpoint) {
        return time_spent(*checkpoint, restart, ran, run_time_factor);
    }
    TimeSpent spent;
    spent.restarting = std::min(ran, restart);
    spent.working = ran - spent.restarting;
    spent.work = work_done_in(spent.working, run_time_factor);
    return spent;
}

std::optional<SimTime> Stretch::reached(SimTime work) const {
    SimTime time = after(restart, run_time_of(work, run_time_factor));
    if (checkpoint) {
        time = run_time_with(*checkpoint, restart, work, run_time_factor);
        // The write after the last interval of that work adds nothing to it.
        const bool ends_in_write = work > SimTime(0) && work % checkpoint->every == SimTime(0);
        time -= ends_in_write && time != never ? checkpoint->stall() : SimTime(0);
    }
    // At the very end, only a job that finishes there or goes on has done the work, even work that
    // takes no time.
    const SimTime ran = works_until() - since;
    const bool stops = interrupted || hung_since;
    return time < ran || (time == ran && !stops) ? std::optional(since + time) : std::nullopt;
}

SimTime Stretch::work_in(const Stint& stint) const {
    return spent_by(stint.finish.value_or(until)).work - spent_by(stint.start).work;
}

TimeWithoutGain time_without_gain(const Stretch& stretch,
                                  const Stint& stint,
                                  const Window& window) {
    const SimTime end = stretch.end_of_work(stint);
    SimTime redone_until = end;
    SimTime redone_from =
        end - std::min(run_time_of(stint.lost, stretch.run_time_factor), end - stint.start);
    SimTime redone_before{};
    if (stretch.checkpoint && stretch.interrupted) {
        const TimeSpent all = stretch.spent();
        redone_until = end - all.write_so_far;
        redone_from = std::max(redone_until - all.unwritten_in, stint.start);
        // The time of working before the stop whose write went on beside the work.
        const SimTime stopped = redone_until - all.unwritten_in - stretch.checkpoint->stall();
        redone_before = window.part_of(std::max(stopped - all.beside_write, stint.start),
                                       std::max(stopped, stint.start));
    }
    const TimeSpent before = stretch.spent_by(std::max(stint.start, window.from));
    const TimeSpent after = stretch.spent_by(std::min(end, window.to));
    return {redone_before + window.part_of(redone_from, redone_until),
            std::max(after.writing - before.writing, SimTime(0)),
            std::max(after.restarting - before.restarting, SimTime(0)),
            window.part_of(end, stint.finish.value_or(stretch.until))};
}

}  // namespace berth::sim
