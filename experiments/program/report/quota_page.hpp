#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/program/report/quota_lending.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// How much of one run's quotas goes into the page.
struct QuotaPageLimits {
    std::size_t values = 600'000;  ///< Numbers of all series together, about.
    std::size_t quotas = 200;      ///< Quotas with a series beside the parents, when not all fit.
    std::size_t marks = 3'000;     ///< Evictions that are drawn, and as many changes.
};

/// The tree, its figures, its series, who lent to whom; null for a run without quotas.csv.
///
/// Series keep the least and the greatest value of each interval when they are too long. Of more
/// than 300 quotas whose series do not fit, the parents and those keep theirs whose largest
/// borrowing and over-use, as a share of the largest of all in the same resource, are greatest.
[[nodiscard]] nlohmann::ordered_json quotas_data(const RunDirectory& run,
                                                 const QuotaPageLimits& limits);

/// The same of any tree of quotas. `totals`: what the children of the root share, by resource; NaN:
/// it is not known. `loans`: who lent to whom.
[[nodiscard]] nlohmann::ordered_json tree_data(const Quotas& quotas,
                                               const std::vector<double>& totals,
                                               const std::vector<Loans>& loans,
                                               const QuotaPageLimits& limits);

/// {"names": quotas, "figures": {FIGURE: {"mean": by quota, "ci95": by quota}}}; null for none.
[[nodiscard]] nlohmann::ordered_json quota_metrics_data(const std::vector<MetricSummary>& metrics);

}  // namespace berth::report
