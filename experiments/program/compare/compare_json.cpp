#include "experiments/program/compare/compare_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/support/csv_record.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

/// Rounds to ten digits, on which every compiler and mathematical library agrees.
double significant(double value) {
    const std::string text = fmt::format("{:.10g}", value);
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out == 0 ? 0 : out;  // avoids a negative zero
}

Json number(const std::optional<double>& value) {
    return value ? Json(significant(*value)) : Json(nullptr);
}

Json metric_json(const report::MetricComparison& metric) {
    const report::PairedDifference& difference = metric.difference;
    const bool tested = difference.p.has_value();
    return {{"metric", metric.metric},
            {"pairs", difference.n},
            {"baseline", significant(difference.baseline_mean)},
            {"run", significant(difference.other_mean)},
            {"difference", significant(difference.mean)},
            {"sd", tested ? number(difference.sd) : Json(nullptr)},
            {"ci95", tested ? number(difference.ci95) : Json(nullptr)},
            {"effect", number(difference.effect)},
            {"p", number(difference.p)},
            {"p_holm", number(metric.p_holm)},
            {"better", to_string(metric.direction)},
            {"verdict", to_string(metric.verdict)},
            {"baseline_bounds", metric.baseline.bounds},
            {"run_bounds", metric.other.bounds},
            {"baseline_never_started", significant(metric.baseline.never_started)},
            {"run_never_started", significant(metric.other.never_started)}};
}

std::string cell(const Json& value) {
    if (value.is_string()) {
        return core::csv_field(value.get<std::string>());
    }
    return value.is_null() ? "" : fmt::format("{}", value.get<double>());
}

Json fate_json(const Fate& fate) {
    return {{"outcome", fate.outcome},
            {"place", fate.place},
            {"wait_s", number(fate.wait_s)},
            {"jct_s", number(fate.jct_s)},
            {"reason", fate.reason}};
}

Json fates_json(const FateComparison& fates) {
    Json outcomes = Json::array();
    for (const auto& [outcome, count] : fates.outcomes) {
        outcomes.push_back({{"baseline", outcome.first}, {"run", outcome.second}, {"n", count}});
    }
    Json most = Json::array();
    for (const FateChange& change : fates.most) {
        most.push_back({{"name", change.baseline.name},
                        {"group", change.baseline.group},
                        {"seed", change.seed},
                        {"replication", change.replication},
                        {"baseline", fate_json(change.baseline)},
                        {"run", fate_json(change.other)}});
    }
    return {{"both", fates.both},
            {"baseline_only", fates.baseline_only},
            {"run_only", fates.other_only},
            {"waited_longer", fates.waited_longer},
            {"waited_shorter", fates.waited_shorter},
            {"moved", fates.moved},
            {"outcomes", std::move(outcomes)},
            {"most_changed", std::move(most)}};
}

Json outages_json(const OutageComparison& outages) {
    const auto side = [](const OutageComparison::Side& one) {
        return Json{{"outages", one.outages}, {"jobs", one.jobs}};
    };
    return {{"both", outages.both},
            {"hit_both", outages.hit_both},
            {"hit_baseline_only", outages.hit_baseline_only},
            {"hit_run_only", outages.hit_other_only},
            {"jobs_baseline", outages.jobs_baseline},
            {"jobs_run", outages.jobs_other},
            {"baseline_only", side(outages.baseline_only)},
            {"run_only", side(outages.other_only)}};
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
    Json runs = Json::array();
    for (const RunComparison& run : comparison.runs) {
        Json metrics = Json::array();
        for (const report::MetricComparison& metric : run.metrics) {
            metrics.push_back(metric_json(metric));
        }
        runs.push_back({{"run", run.label},
                        {"warning", warning_of(run.inputs)},
                        {"work_differs", run.inputs.work},
                        {"cluster_differs", run.inputs.cluster},
                        {"pairs", run.pairs},
                        {"baseline_left_out", run.baseline_left_out},
                        {"run_left_out", run.other_left_out},
                        {"one_sided", run.one_sided},
                        {"metrics", std::move(metrics)},
                        {"groups", fates_json(run.fates.groups)},
                        {"pods", fates_json(run.fates.pods)}});
        if (run.outages) {
            runs.back()["outages"] = outages_json(*run.outages);
        }
    }
    return {{"schema", "berth.compare/v1"},
            {"baseline", comparison.baseline},
            {"tests", comparison.tests},
            {"comparisons", std::move(runs)},
            {"headline", comparison.headline}};
}

std::string comparison_csv(const Comparison& comparison) {
    std::string out =
        "baseline,run,metric,pairs,baseline_mean,run_mean,difference,ci95_low,ci95_high,effect,p,"
        "p_holm,better,verdict,baseline_bounds,run_bounds,baseline_never_started,"
        "run_never_started\n";
    for (const RunComparison& run : comparison.runs) {
        for (const report::MetricComparison& metric : run.metrics) {
            out += core::csv_field(comparison.baseline) + "," + core::csv_field(run.label);
            const Json fields = metric_json(metric);
            for (const auto& [key, value] : fields.items()) {
                if (key == "ci95") {
                    const report::PairedDifference& of = metric.difference;
                    for (const double end : {of.mean - of.ci95, of.mean + of.ci95}) {
                        out += "," + cell(value.is_null() ? value : Json(significant(end)));
                    }
                } else if (key != "sd") {
                    out += "," + cell(value);
                }
            }
            out += "\n";
        }
    }
    return out;
}

}  // namespace berth::experiments
