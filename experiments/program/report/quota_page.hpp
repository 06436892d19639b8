#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/program/report/quota_lending.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Limits for the data about one run's quotas on the page.
struct QuotaPageLimits {
    std::size_t values = 600'000;  ///< The approximate number of values in all series together.
    std::size_t quotas = 200;      ///< Quotas with a series besides the parents, if not all fit.
    std::size_t marks = 3'000;     ///< Evictions that are drawn, and equally many changes.
};

/// The tree, its figures, its series and its lending; null for a run without quotas.csv.
///
/// A series that is too long keeps the least and the greatest value of each interval. If there are
/// more than 300 quotas and not all series fit, the parents keep theirs, and so do the quotas whose
/// largest borrowing and over-use are greatest, as a share of the largest of all in the same
/// resource.
[[nodiscard]] nlohmann::ordered_json quotas_data(const RunDirectory& run,
                                                 const QuotaPageLimits& limits);

/// The same data for any tree of quotas. `totals`: the amounts that the children of the root share,
/// by resource; NaN: not known. `loans`: the lending between quotas.
[[nodiscard]] nlohmann::ordered_json tree_data(const Quotas& quotas,
                                               const std::vector<double>& totals,
                                               const std::vector<Loans>& loans,
                                               const QuotaPageLimits& limits);

/// {"names": quotas, "figures": {FIGURE: {"mean": by quota, "ci95": by quota}}}; null without any.
[[nodiscard]] nlohmann::ordered_json quota_metrics_data(const std::vector<MetricSummary>& metrics);

}  // namespace berth::report
