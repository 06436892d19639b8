#pragma once

#include <cstdint>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// How full a cluster is: at an instant, or as a mean over a stretch of time.
struct Load {
    double in_system = 0;  ///< Pods that run or wait.
    double waiting = 0;    ///< Pods that wait.
    double allocated = 0;  ///< Share of the GPUs, or of the CPUs where the cluster has no GPUs.
};

/// How full the cluster was until the last job arrived, or the run ended: means over slices of time
/// of equal length, from time 0 on.
struct LoadHistory {
    SimTime slice{};          ///< The length of a slice: 1024 ns, doubled some number of times.
    std::vector<Load> means;  ///< Means of whole slices; at most LoadRecorder::slices_max.
    SimTime last_arrival{};   ///< When the last job arrived, or the end of the run if more was to
                              ///< come then.
    std::uint64_t jobs = 0;   ///< Number of jobs that arrived.
    std::uint64_t ended = 0;  ///< How many of them had ended by the last arrival.
};

/// Records the history of a run, from which the end of the warm-up is found.
///
/// Cost: O(1) for each instant at which something happens, amortized.
class LoadRecorder {
public:
    static constexpr std::size_t slices_max = 2048;

    /// Accounts for the time up to `now` with the load as it was; from now on it is `load`. To be
    /// called after everything that happened at one instant, before the clock goes on.
    void settle(SimTime now, const Load& load);
    /// A job arrived. `ended` jobs have ended by now; unless `more`, it was the last job.
    void arrived(SimTime now, std::uint64_t ended, bool more);
    /// The run ended at `end`.
    [[nodiscard]] LoadHistory result(SimTime end) const;

private:
    void add(SimTime begin, SimTime end);
    void double_slices();

    SimTime slice_{1024};
    std::vector<Load> sums_;  ///< The load times seconds of each slice.
    SimTime settled_{};
    Load now_;
    bool over_ = false;  ///< The last job has arrived.
    LoadHistory counts_;
};

}  // namespace berth::sim
