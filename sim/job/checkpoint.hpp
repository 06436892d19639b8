#pragma once

#include <cstdint>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// How a job writes checkpoints: it works for `every`, stops for a write, works again, and so on. A
/// write follows each full `every`, the one that ends the work included. An asynchronous one goes
/// on while the job works again, and saves nothing until it is complete.
struct Checkpoint {
    /// The work between two writes; `never` if it writes none. In a workload 0 asks for the optimal
    /// interval, which workloads::set_optimal_interval() puts in its place before the run.
    SimTime every{};
    SimTime takes{};    ///< The time of a write, until it is complete.
    SimTime restart{};  ///< Without work, at the first start after each interruption.
    SimTime beside{};   ///< The part of `takes` that goes on beside work, at its end.

    /// The part of `takes` in which the job holds its places and does no work.
    [[nodiscard]] SimTime stall() const { return takes - beside; }
};

/// What became of a stretch of a job's time at its places, from when its members began to work.
///
/// Shape: the parts of the time sum to all of it; `unwritten` is a part of `work`.
struct TimeSpent {
    SimTime restarting{};
    SimTime working{};
    SimTime writing{};
    SimTime work{};          ///< What was done in the time of working.
    SimTime unwritten{};     ///< The part of it that no complete write has saved.
    SimTime unwritten_in{};  ///< The time of working since the last stop for a write.
    SimTime write_so_far{};  ///< The part of `writing` in which it stops now.
    /// The time of working before the last stop, where the write that began then goes on beside.
    SimTime beside_write{};
};

/// What became of the first `time` that a job held its places. It begins with what is left of a
/// restart, `restart`.
///
/// Units: `factor` in thousandths: how much longer the job runs than its work takes. It stretches
///        work, neither writes nor restarts; an interval of work takes whole nanoseconds, rounded
///        up.
/// Cost:  O(1), as have all here: no write is an event.
[[nodiscard]] TimeSpent time_spent(const Checkpoint& checkpoint,
                                   SimTime restart,
                                   SimTime time,
                                   std::int64_t factor);

/// How long a job holds its places that restarts, does `left` and writes its checkpoints; `never`
/// if that is more than SimTime holds. After that time, time_spent() is all of `left` to the
/// nanosecond.
[[nodiscard]] SimTime run_time_with(const Checkpoint& checkpoint,
                                    SimTime restart,
                                    SimTime left,
                                    std::int64_t factor);

}  // namespace berth::sim
