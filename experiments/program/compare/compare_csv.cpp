#include <optional>

#include <fmt/format.h>

#include "core/support/csv_record.hpp"
#include "experiments/program/compare/compare_text.hpp"
#include "experiments/program/compare/significant.hpp"
#include "experiments/program/run/csv_recorder.hpp"

namespace berth::experiments {
namespace {

std::string field(const std::optional<double>& value) {
    return value ? fmt::format("{}", significant(*value)) : "";
}

std::string row(const Comparison& comparison,
                const RunComparison& run,
                const MetricComparison& metric) {
    const PairedDifference& difference = metric.difference;
    const bool tested = difference.p.has_value();
    const auto end = [&](double sign) {
        return tested ? std::optional(difference.mean + sign * difference.ci95) : std::nullopt;
    };
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                       core::csv_field(comparison.baseline),
                       core::csv_field(run.label),
                       core::csv_field(metric.metric),
                       difference.n,
                       significant(difference.baseline_mean),
                       significant(difference.other_mean),
                       significant(difference.mean),
                       field(end(-1)),
                       field(end(1)),
                       field(difference.effect),
                       field(difference.p),
                       field(metric.p_holm),
                       to_string(metric.direction),
                       to_string(metric.verdict),
                       metric.baseline.bounds,
                       metric.other.bounds,
                       significant(metric.baseline.never_started),
                       significant(metric.other.never_started));
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
    std::string out =
        "baseline,run,metric,pairs,baseline_mean,run_mean,difference,ci95_low,ci95_high,effect,p,"
        "p_holm,better,verdict,baseline_bounds,run_bounds,baseline_never_started,"
        "run_never_started\n";
    for (const RunComparison& run : comparison.runs) {
        for (const MetricComparison& metric : run.metrics) {
            out += row(comparison, run, metric);
        }
    }
    return out;
}

}  // namespace berth::experiments
