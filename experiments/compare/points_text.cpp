#include "experiments/compare/points_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/report/interval_text.hpp"

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

constexpr std::size_t columns = 6;
using Cells = std::array<std::string, columns>;

Cells cells_of(const PointRow& row) {
    const PairedDifference& difference = row.metric->difference;
    const auto text = [&](double value) {
        return difference.p ? report::text_to_interval(value, difference.ci95)
                            : report::number_text(value);
    };
    const auto& p = row.metric->p_holm;
    constexpr double least_p = 0.0001;
    return {row.point->label,
            text(difference.other_mean),
            (difference.mean > 0 ? "+" : "") + text(difference.mean),
            difference.p ? fmt::format("{} to {}",
                                       text(difference.mean - difference.ci95),
                                       text(difference.mean + difference.ci95))
                         : "",
            !p             ? ""
            : *p < least_p ? "<0.0001"
                           : fmt::format("{:.2g}", *p),
            std::string(to_string(row.metric->verdict))};
}

std::string table(const std::vector<PointRow>& rows, const std::string& baseline) {
    const PairedDifference& first = rows.front().metric->difference;
    std::vector<Cells> lines{
        {"", "mean", "difference", "95 % interval", "p (Holm)", "verdict"},
        {baseline, report::number_text(first.baseline_mean), "", "", "", "the baseline"}};
    for (const PointRow& row : rows) {
        lines.push_back(cells_of(row));
    }
    std::array<std::size_t, columns> width{};
    for (const Cells& line : lines) {
        for (std::size_t c = 0; c < columns; ++c) {
            width[c] = std::max(width[c], line[c].size());
        }
    }
    std::string out;
    for (const Cells& line : lines) {
        out += fmt::format("  {:<{}}", line[0], width[0]);
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            out += fmt::format("  {:>{}}", line[c], width[c]);
        }
        out += fmt::format("  {}\n", line.back());
    }
    return out;
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
        constexpr std::size_t named_max = 8;
        const std::size_t count = unsure.size();
        unsure.resize(std::min(count, named_max));
        out += fmt::format("no difference shown of any point: {}{}\n",
                           fmt::join(unsure, ", "),
                           count > named_max ? fmt::format(" and {} more", count - named_max) : "");
    }
    out += fmt::format(
        "Pairs of replications with one seed; p of Student's t for pairs, corrected for {} test{} "
        "by Holm;\nan interval is of its metric and point alone; verdicts: corrected p below "
        "0.05\n",
        comparison.tests,
        comparison.tests == 1 ? "" : "s");
    return out;
}

}  // namespace berth::experiments
