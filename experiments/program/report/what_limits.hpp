#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// What keeps the run from doing better, as sentences, the most important first: that the cluster
/// is full, or else the largest cause of idle GPUs with the level that it is about; the quota that
/// binds; the quota whose pods waited longest; the most common reason for which pods did not run.
[[nodiscard]] std::vector<std::string> what_limits(const RunDirectory& run);

}  // namespace berth::report
