#include "sim/job/checkpoint.hpp"

#include <algorithm>

#include "core/support/assert.hpp"
#include "sim/job/run_time_model.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;

/// The time that the work of one interval takes, rounded up, so that all of the work is done in it.
Wide time_of_interval(const Checkpoint& checkpoint, std::int64_t factor) {
    BERTH_ASSERT(checkpoint.every > SimTime(0), "a job works between two writes");
    BERTH_ASSERT(factor >= slow_down_unit, "nobody runs faster than the work takes");
    BERTH_ASSERT(SimTime(0) <= checkpoint.beside && checkpoint.beside <= checkpoint.every,
                 "a write is complete when the next one begins");
    return (Wide{checkpoint.every.count()} * factor + slow_down_unit - 1) / slow_down_unit;
}

SimTime narrow(Wide time) {
    return SimTime(static_cast<std::int64_t>(time));
}

}  // namespace

TimeSpent time_spent(const Checkpoint& checkpoint,
                     SimTime restart,
                     SimTime time,
                     std::int64_t factor) {
    BERTH_ASSERT(restart >= SimTime(0) && time >= SimTime(0), "time never goes back");
    TimeSpent spent;
    spent.restarting = std::min(restart, time);
    const Wide interval = time_of_interval(checkpoint, factor);
    const Wide cycle = interval + checkpoint.stall().count();
    const Wide since = (time - spent.restarting).count();
    const Wide writes = since / cycle;
    const Wide rest = since % cycle;
    const bool works = rest < interval;
    spent.unwritten_in = narrow(std::min(rest, interval));
    spent.write_so_far = narrow(rest) - spent.unwritten_in;
    spent.unwritten = works ? work_done_in(spent.unwritten_in, factor) : checkpoint.every;
    spent.working = narrow(writes * interval) + spent.unwritten_in;
    spent.writing = time - spent.restarting - spent.working;
    spent.work = narrow(writes * checkpoint.every.count()) + spent.unwritten;
    if (writes > 0 && rest < checkpoint.beside.count()) {
        spent.beside_write = narrow(interval);
        spent.unwritten += checkpoint.every;
    }
    BERTH_ASSERT(spent.writing >= SimTime(0) && spent.work <= spent.working,
                 "work takes as long as it is, at least");
    return spent;
}

SimTime run_time_with(const Checkpoint& checkpoint,
                      SimTime restart,
                      SimTime left,
                      std::int64_t factor) {
    BERTH_ASSERT(left >= SimTime(0), "no more work is done than there was");
    const Wide cycle = time_of_interval(checkpoint, factor) + checkpoint.stall().count();
    const Wide rest = run_time_of(left % checkpoint.every, factor).count();
    const Wide time = restart.count() + (left / checkpoint.every) * cycle + rest;
    return time >= never.count() ? never : narrow(time);
}

}  // namespace berth::sim
