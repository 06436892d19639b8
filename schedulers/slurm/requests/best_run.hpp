#pragma once

#include <memory>

#include "schedulers/slurm/requests/slurm_run.hpp"

namespace berth::experiments {

/// The run of a request. If passes are recorded, and the request does not know how long its jobs
/// ran, many runs draw lengths; those that the recorded passes doubt are given up as they go, for
/// copies of others; and the one that they doubt least is the answer. It is the same each time.
///
/// Cost: one run if all lengths are known, or no pass is recorded; otherwise up to 400.
[[nodiscard]] std::unique_ptr<SlurmRun> best_run(const SlurmRequest& request, const EndTimes& ends);

}  // namespace berth::experiments
