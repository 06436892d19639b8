#include "experiments/program/compare/compare_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/support/csv_record.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;
using report::field;
using report::Is;
using report::list_of;
using report::object;
using report::of_type;

/// Rounds to ten digits, on which every compiler and mathematical library agrees.
double significant(double value) {
    const std::string text = fmt::format("{:.10g}", value);
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out == 0 ? 0 : out;  // avoids a negative zero
}

Is<"Value"> number(const std::optional<double>& value) {
    return of_type<"Value">(value ? Json(significant(*value)) : Json(nullptr));
}

Is<"MetricComparison"> metric_json(const report::MetricComparison& metric) {
    const report::PairedDifference& difference = metric.difference;
    const auto if_tested = [&](double value) {
        return number(difference.p ? std::optional(value) : std::nullopt);
    };
    return object<"MetricComparison">(
        field<"metric">(metric.metric),
        field<"pairs">(difference.n),
        field<"baseline">(significant(difference.baseline_mean)),
        field<"run">(significant(difference.other_mean)),
        field<"difference">(significant(difference.mean)),
        field<"sd">(if_tested(difference.sd)),
        field<"ci95">(if_tested(difference.ci95)),
        field<"effect">(number(difference.effect)),
        field<"p">(number(difference.p)),
        field<"p_holm">(number(metric.p_holm)),
        field<"better">(to_string(metric.direction)),
        field<"verdict">(to_string(metric.verdict)),
        field<"baseline_bounds">(metric.baseline.bounds),
        field<"run_bounds">(metric.other.bounds),
        field<"baseline_never_started">(significant(metric.baseline.never_started)),
        field<"run_never_started">(significant(metric.other.never_started)));
}

std::string cell(const Json& value) {
    if (value.is_string()) {
        return core::csv_field(value.get<std::string>());
    }
    return value.is_null() ? "" : fmt::format("{}", value.get<double>());
}

Is<"Fate"> fate_json(const Fate& fate) {
    return object<"Fate">(field<"outcome">(fate.outcome),
                          field<"place">(fate.place),
                          field<"wait_s">(number(fate.wait_s)),
                          field<"jct_s">(number(fate.jct_s)),
                          field<"reason">(fate.reason));
}

Is<"FateChange"> change_json(const FateChange& change) {
    return object<"FateChange">(field<"name">(change.baseline.name),
                                field<"group">(change.baseline.group),
                                field<"seed">(change.seed),
                                field<"replication">(change.replication),
                                field<"baseline">(fate_json(change.baseline)),
                                field<"run">(fate_json(change.other)));
}

Is<"Fates"> fates_json(const FateComparison& fates) {
    auto outcomes = list_of(fates.outcomes, [](const auto& counted) {
        return object<"OutcomeCount">(field<"baseline">(counted.first.first),
                                      field<"run">(counted.first.second),
                                      field<"n">(counted.second));
    });
    return object<"Fates">(field<"both">(fates.both),
                           field<"baseline_only">(fates.baseline_only),
                           field<"run_only">(fates.other_only),
                           field<"waited_longer">(fates.waited_longer),
                           field<"waited_shorter">(fates.waited_shorter),
                           field<"moved">(fates.moved),
                           field<"outcomes">(std::move(outcomes)),
                           field<"most_changed">(list_of(fates.most, change_json)));
}

Is<"Outages"> outages_json(const OutageComparison& outages) {
    const auto side = [](const OutageComparison::Side& one) {
        return object<"OutageCounts">(field<"outages">(one.outages), field<"jobs">(one.jobs));
    };
    return object<"Outages">(field<"both">(outages.both),
                             field<"hit_both">(outages.hit_both),
                             field<"hit_baseline_only">(outages.hit_baseline_only),
                             field<"hit_run_only">(outages.hit_other_only),
                             field<"jobs_baseline">(outages.jobs_baseline),
                             field<"jobs_run">(outages.jobs_other),
                             field<"baseline_only">(side(outages.baseline_only)),
                             field<"run_only">(side(outages.other_only)));
}

Is<"RunComparison"> run_json(const RunComparison& run) {
    auto out = object<"RunComparison">(field<"run">(run.label),
                                       field<"warning">(warning_of(run.inputs)),
                                       field<"work_differs">(run.inputs.work),
                                       field<"cluster_differs">(run.inputs.cluster),
                                       field<"pairs">(run.pairs),
                                       field<"baseline_left_out">(run.baseline_left_out),
                                       field<"run_left_out">(run.other_left_out),
                                       field<"one_sided">(run.one_sided),
                                       field<"metrics">(list_of(run.metrics, metric_json)),
                                       field<"groups">(fates_json(run.fates.groups)),
                                       field<"pods">(fates_json(run.fates.pods)));
    if (run.outages) {
        report::add_to_some<"RunComparison">(out, field<"outages">(outages_json(*run.outages)));
    }
    return out;
}

}  // namespace

Is<"Comparison"> comparison_json(const Comparison& comparison) {
    return object<"Comparison">(field<"schema">("berth.compare/v1"),
                                field<"baseline">(comparison.baseline),
                                field<"tests">(comparison.tests),
                                field<"comparisons">(list_of(comparison.runs, run_json)),
                                field<"headline">(comparison.headline));
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
