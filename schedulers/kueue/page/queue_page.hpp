#pragma once

#include <string>
#include <vector>

#include "experiments/program/report/quota_page.hpp"
#include "experiments/program/report/scheduler_page.hpp"
#include "experiments/program/support/typed_json.hpp"
#include "schedulers/kueue/tables/queues.hpp"

namespace berth::report {

/// The tree of Kueue's cohorts and queues in the form of tree_data(), with the data that only they
/// have under "kueue": kinds, weights, limits, waiting jobs, shares, preempted jobs with their
/// preemptors, and reasons why jobs got no quota.
[[nodiscard]] Is<"Quotas"> queues_data(const Queues& queues, const QuotaPageLimits& limits);

/// Kueue's actions and limits, in sentences: how many jobs were admitted and preempted, and for
/// which of its reasons; the ClusterQueue whose jobs waited for quota the longest; and the most
/// common reason why jobs got no quota.
[[nodiscard]] std::vector<std::string> queue_limits(const RunDirectory& run, const Queues& queues);

}  // namespace berth::report
