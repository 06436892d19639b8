#pragma once

#include <nlohmann/json.hpp>

#include "experiments/program/report/quota_page.hpp"
#include "experiments/program/results/queues.hpp"

namespace berth::report {

/// The tree of Kueue's cohorts and queues as tree_data() has it, with {"kueue": what only they
/// have}: kinds, weights, limits, who waits, shares, who was preempted for whom, and why others got
/// no quota.
[[nodiscard]] nlohmann::ordered_json queues_data(const Queues& queues,
                                                 const QuotaPageLimits& limits);

}  // namespace berth::report
