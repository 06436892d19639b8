#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/quotas.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Which quota binds, as a sentence: the one whose pods ask for more than its max for the longest
/// time; where no max is reached, the one that is longest held to less than it asks for, because
/// the quotas together ask for more than there is. Empty where every quota gets what it asks for.
/// Source: quotas.csv: a parent's request is the sum of its children's, each cut at its max, so
///         that a request above a max is that quota's own doing.
[[nodiscard]] std::string binding_quota(const Quotas& quotas);

/// What Kueue did and what holds its jobs up, in sentences: how many were admitted and preempted,
/// and for which of its reasons; the ClusterQueue whose jobs waited longest for quota; and the most
/// common reason why jobs got none. Empty for a run without Kueue.
[[nodiscard]] std::vector<std::string> queue_limits(const RunDirectory& run);

/// What keeps the run from doing better, as sentences, the most important first: that the cluster
/// is full, or else the largest cause of idle GPUs with the level that it is about; the quota that
/// binds; the quota whose pods waited longest; the most common reason for which pods did not run.
[[nodiscard]] std::vector<std::string> what_limits(const RunDirectory& run);

}  // namespace berth::report
