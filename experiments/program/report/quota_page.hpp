#pragma once

#include <cstddef>
#include <vector>

#include "experiments/program/report/quota_lending.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

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
[[nodiscard]] Maybe<"Quotas"> quotas_data(const RunDirectory& run, const QuotaPageLimits& limits);

/// The same data for any tree of quotas. `totals`: the amounts that the children of the root share,
/// by resource; NaN: not known. `loans`: the lending between quotas.
[[nodiscard]] Is<"Quotas"> tree_data(const Quotas& quotas,
                                     const std::vector<double>& totals,
                                     const std::vector<Loans>& loans,
                                     const QuotaPageLimits& limits);

/// Figures of metrics by quota; null without any.
[[nodiscard]] Maybe<"QuotaMetrics"> quota_metrics_data(const std::vector<MetricSummary>& metrics);

}  // namespace berth::report
