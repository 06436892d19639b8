#pragma once

#include <nlohmann/json.hpp>

#include "experiments/program/report/quota_page.hpp"
#include "experiments/program/results/queues.hpp"

namespace berth::report {

/// The tree of Kueue's cohorts and queues in the form of tree_data(), with the data that only they
/// have under "kueue": kinds, weights, limits, waiting jobs, shares, preempted jobs with their
/// preemptors, and reasons why jobs got no quota.
[[nodiscard]] nlohmann::ordered_json queues_data(const Queues& queues,
                                                 const QuotaPageLimits& limits);

}  // namespace berth::report
