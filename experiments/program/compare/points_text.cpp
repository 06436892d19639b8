#include "experiments/program/compare/points_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/compare/difference_text.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

/// One metric at one point.
struct PointRow {
    const RunComparison* point;
    const MetricComparison* metric;
};

/// By metric, in the order in which the points have them.
std::vector<std::vector<PointRow>> rows_by_metric(const Comparison& comparison) {
    std::vector<std::vector<PointRow>> out;
    for (const RunComparison& point : comparison.runs) {
        for (const MetricComparison& metric : point.metrics) {
            const auto known = std::ranges::find_if(out, [&](const std::vector<PointRow>& rows) {
                return rows.front().metric->metric == metric.metric;
            });
            if (known == out.end()) {
                out.push_back({{&point, &metric}});
            } else {
                known->push_back({&point, &metric});
            }
        }
    }
    return out;
}

TextRow cells_of(const PointRow& row) {
    const PairedDifference& difference = row.metric->difference;
    return {row.point->label,
            figure(difference.other_mean, difference),
            (difference.mean > 0 ? "+" : "") + figure(difference.mean, difference),
            interval_text(difference),
            p_text(row.metric->p_holm),
            std::string(to_string(row.metric->verdict))};
}

std::string table(const std::vector<PointRow>& rows, const std::string& baseline) {
    const PairedDifference& first = rows.front().metric->difference;
    std::vector<TextRow> lines{
        {"", "mean", "difference", "95 % interval", "p (Holm)", "verdict"},
        {baseline, report::number_text(first.baseline_mean), "", "", "", "the baseline"}};
    for (const PointRow& row : rows) {
        lines.push_back(cells_of(row));
    }
    return text_table(lines);
}

}  // namespace

std::string points_text(const Comparison& comparison, bool all) {
    std::string out;
    std::vector<std::string> unsure;
    for (const std::vector<PointRow>& rows : rows_by_metric(comparison)) {
        const std::string& metric = rows.front().metric->metric;
        const bool shown = std::ranges::any_of(
            rows, [](const PointRow& row) { return is_real(row.metric->verdict); });
        if (!all && !shown) {
            unsure.push_back(metric);
            continue;
        }
        out += fmt::format("{}\n{}\n", metric, table(rows, comparison.baseline));
    }
    if (!unsure.empty()) {
        out += fmt::format("no difference shown of any point: {}\n", some(std::move(unsure)));
    }
    out += fmt::format(
        "Replications are paired by seed; p: paired Student's t test, "
        "Holm-corrected for {};\nintervals are not corrected; verdicts: "
        "corrected p below 0.05\n",
        plural(comparison.tests, "test"));
    return out;
}

}  // namespace berth::experiments
