#pragma once

#include <string>
#include <vector>

#include "experiments/config/experiment_spec.hpp"

namespace berth::experiments {

/// Which jobs of an experiment can never start, however empty the cluster is, and why: one line
/// each.
[[nodiscard]] std::vector<std::string> jobs_that_never_start(const ExperimentSpec& spec);

}  // namespace berth::experiments
