#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// The jobs of an experiment that can never start, however empty the cluster is: for each source, a
/// line for each reason, with the number of jobs. Traces are left to the trace doctor. Servers that
/// are added later count as present.
/// Cost: an index and one placement for each distinct kind of job. If the greedy solver fails, the
///       exact solver runs too, unless it would take too long; the line then says so.
[[nodiscard]] std::vector<std::string> jobs_that_never_start(const ExperimentSpec& spec);

}  // namespace berth::experiments
