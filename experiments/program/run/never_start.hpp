#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Which jobs of an experiment can never start, however empty the cluster is, why, and how many: a
/// line for each reason in each source. Traces are the trace doctor's. Servers that are added later
/// count as there.
/// Cost: an index and one placement for each distinct kind of job; the exact solver where the
///       greedy one fails, unless that would take too long, which the line then says.
[[nodiscard]] std::vector<std::string> jobs_that_never_start(const ExperimentSpec& spec);

}  // namespace berth::experiments
