#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/quotas.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// The quota that binds, as a sentence: the one whose pods ask for more than its max for the
/// longest time. If no max is reached, it is the one that is held for the longest time to less than
/// it asks for, because the quotas together ask for more than there is. Empty if every quota gets
/// what it asks for.
/// Source: quotas.csv: a parent's request is the sum of its children's, each limited by its max, so
///         a request above a max is caused by that quota itself.
[[nodiscard]] std::string binding_quota(const Quotas& quotas);

/// What keeps the run from doing better, in sentences, the most important first: that the cluster
/// is full, or else the largest cause of idle GPUs, with its level; the quota that binds; the quota
/// whose pods waited the longest; and the most common reason why pods did not run.
[[nodiscard]] std::vector<std::string> what_limits(const RunDirectory& run);

}  // namespace berth::report
