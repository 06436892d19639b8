#pragma once

#include <cstdint>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// How a job writes checkpoints: it works for `every`, stops for a write, works again, and so on. A
/// write follows each full `every`, including the one that ends the work. An asynchronous write
/// goes on while the job works again, and saves nothing until it is complete.
struct Checkpoint {
    /// The work between two writes; `never` if the job writes none. In a workload, 0 asks for the
    /// optimal interval, which workloads::set_optimal_interval() puts in its place before the run.
    SimTime every{};
    SimTime takes{};    ///< How long a write takes until it is complete.
    SimTime restart{};  ///< Time without work at the first start after each interruption.
    SimTime beside{};   ///< The last part of `takes`, which goes on while the job works.

    /// The part of `takes` in which the job holds its places and does no work.
    [[nodiscard]] SimTime stall() const { return takes - beside; }
};

/// What the time of a job at its places was spent on, from when its members began to work.
///
/// Shape: the parts of the time sum to all of it; `unwritten` is a part of `work`.
struct TimeSpent {
    SimTime restarting{};
    SimTime working{};
    SimTime writing{};
    SimTime work{};          ///< Work that was done in the time `working`.
    SimTime unwritten{};     ///< The part of `work` that no complete write has saved.
    SimTime unwritten_in{};  ///< The time of working since the last stop for a write.
    SimTime write_so_far{};  ///< The part of `writing` that belongs to the stop it is in now.
    /// The time of working before the last stop, if the write that began with that stop still goes
    /// on.
    SimTime beside_write{};
};

/// What the first `time` that a job held its places was spent on. That time begins with `restart`,
/// what is left of a restart.
///
/// Units: `factor` in thousandths: how much longer the job runs than its work takes. It stretches
///        work, but neither writes nor restarts; an interval of work takes whole nanoseconds,
///        rounded up.
/// Cost:  O(1), as for all functions here: no write is an event.
[[nodiscard]] TimeSpent time_spent(const Checkpoint& checkpoint,
                                   SimTime restart,
                                   SimTime time,
                                   std::int64_t factor);

/// How long a job holds its places if it restarts, does the work `left` and writes its checkpoints;
/// `never` if that is more than SimTime holds. After that time, time_spent() says that all of
/// `left` is done, to the nanosecond.
[[nodiscard]] SimTime run_time_with(const Checkpoint& checkpoint,
                                    SimTime restart,
                                    SimTime left,
                                    std::int64_t factor);

}  // namespace berth::sim
