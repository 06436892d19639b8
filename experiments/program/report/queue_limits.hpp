#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// What Kueue did and what holds its jobs up, in sentences: how many were admitted and preempted,
/// and for which of its reasons; the ClusterQueue whose jobs waited longest for quota; and the most
/// common reason why jobs got none. Empty for a run without Kueue.
[[nodiscard]] std::vector<std::string> queue_limits(const RunDirectory& run);

}  // namespace berth::report
