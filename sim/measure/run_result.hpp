#pragma once

#include <cstdint>
#include <vector>

#include "sim/clock/time.hpp"
#include "sim/measure/gpu_time.hpp"
#include "sim/measure/interruptions_by_size.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/measure/load_history.hpp"
#include "sim/meter/metric.hpp"

namespace berth::sim {

/// How a run ended.
struct RunResult {
    std::vector<Metric> metrics;
    std::vector<JobKind> kinds;     ///< Metrics of the jobs of one quota, one user, ...
    std::vector<GpuTime> gpu_time;  ///< GPU time by use, for a topology with GPUs.
    /// Interruptions for the sizes that jobs have, the smallest first, in a run with a
    /// FailureSource.
    std::vector<InterruptionsOfSize> interruptions;
    std::uint64_t fingerprint = 0;
    std::uint64_t events = 0;
    std::uint64_t decisions = 0;
    SimTime end{};
    LoadHistory load;
    std::uint64_t jobs_given_up = 0;  ///< Jobs given up after too many interruptions, see
                                      ///< OnFailure.
    /// Whether there were so many jobs that percentiles are estimates, see ValueBuckets.
    bool percentiles_are_estimates = false;
    bool interrupted = false;
};

}  // namespace berth::sim
