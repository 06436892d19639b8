#include "experiments/program/report/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "experiments/program/report/what_limits.hpp"
#include "experiments/program/report/who_pays.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/question.hpp"
#include "experiments/program/results/tables/metric_table.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

std::string intervals_text(const RunDirectory& run) {
    const bool any = std::ranges::any_of(
        run.metrics, [](const MetricSummary& metric) { return metric.ci95.value_or(0) > 0; });
    if (any) {
        const bool within = !run.interval_method.empty() && run.interval_method != "replications";
        return "± is the half-width of the 95% interval of the mean, " +
               (within ? fmt::format("by {} within the run.", run.interval_method)
                       : fmt::format("by Student's t over {} replications.", run.replications));
    }
    return run.replications > 1
               ? ""
               : "One replication: how far chance moves these numbers is not known. Set "
                 "spec.replications to 10 or more.";
}

/// The part of the run that the numbers cover, as a sentence; empty if it is the whole run.
std::string window_text(const RunDirectory& run) {
    if (!run.window) {
        return {};
    }
    const std::string to = std::isfinite(run.window->to_s) ? value_text("s", run.window->to_s).value
                                                           : "the end of the run";
    const std::string span = fmt::format(
        "The numbers cover the time from {} to {}", value_text("s", run.window->from_s).value, to);
    std::string rule = run.window->rule;
    std::ranges::transform(rule, rule.begin(), [](unsigned char c) { return std::toupper(c); });
    return rule == "FIXED" || rule.empty()
               ? span + ", as spec.record says."
               : fmt::format("{}: the time before is warm-up by rule {}.", span, rule);
}

/// The expectations and claims that do not hold, in the form of the page.
std::vector<std::string> broken(const RunDirectory& run) {
    std::vector<std::string> out;
    for (const ClaimResult& claim : run.claims) {
        // An expectation is stated in the metric's own unit; the text of a claim has its unit.
        const MetricRecord* record = claim.is_expectation ? find_metric(claim.text) : nullptr;
        const std::string unit =
            record == nullptr || record->unit.empty() ? "" : fmt::format(" ({})", record->unit);
        if (!claim.holds) {
            out.push_back(fmt::format("{}{}: expected {}, measured {}",
                                      claim.text,
                                      unit,
                                      claim.expected,
                                      claim.measured));
        }
    }
    return out;
}

/// What a mean leaves out: the jobs or pods that still wait, and those that never started.
std::string left_open(const MetricSummary& metric) {
    std::string out;
    // If the bound is shown instead of the mean, it need not be repeated.
    const bool told = number_json(quoted(metric, " "))["value"].get<std::string>().starts_with(">");
    if (!told && metric.mean && metric.at_least.value_or(0) > *metric.mean) {
        MetricSummary bound = metric;
        bound.mean = metric.at_least;
        bound.ci95.reset();
        out = fmt::format("with those that had not ended, at least {}",
                          with_interval(quoted(bound, {})));
    }
    if (metric.never_started.value_or(0) > 0) {
        out += fmt::format("{}{} never started",
                           out.empty() ? "" : "; ",
                           value_text("share", *metric.never_started).value);
    }
    return out;
}

const MetricSummary* metric_of(const RunDirectory& run, const std::string& name) {
    const auto found = std::ranges::find(run.metrics, name, &MetricSummary::name);
    return found == run.metrics.end() ? nullptr : &*found;
}

/// The comparison's entry for a metric; null if it has none, as for a metric that is equal in every
/// pair.
Json compared(const Json& metrics, const std::string& name) {
    for (const Json& metric : metrics) {
        if (metric["metric"] == name) {
            return metric;
        }
    }
    return nullptr;
}

/// A row with both values. Without a comparison, because the runs share no seed, the difference of
/// the means stands alone.
Is<"VerdictRow"> comparison_row(const HeadlineNumber& first,
                                const RunDirectory& baseline,
                                const RunDirectory& run,
                                const Json& metrics) {
    const MetricSummary* before = metric_of(baseline, first.metric);
    const MetricSummary* own = metric_of(run, first.metric);
    const Json difference = compared(metrics, first.metric);
    std::string verdict;
    MetricSummary change;
    change.name = first.metric;
    if (!difference.is_null()) {
        change.mean = difference["difference"].get<double>();
        if (difference["ci95"].is_number()) {
            change.ci95 = difference["ci95"].get<double>();
        }
        verdict = difference["verdict"];
    } else if (metrics.is_array() && own != nullptr) {
        verdict = "equal";
    } else if (own != nullptr && own->mean && before != nullptr && before->mean) {
        change.mean = *own->mean - *before->mean;
    }
    std::string by;
    if (change.mean) {
        by = (*change.mean > 0 ? "+" : "") + with_interval(quoted(change, first.label));
    }
    return object<"VerdictRow">(
        field<"metric">(first.metric),
        field<"title">(of_type<"string">(number_json(first)["title"])),
        field<"baseline">(with_interval(first)),
        field<"run">(own != nullptr ? with_interval(quoted(*own, first.label)) : "–"),
        field<"difference">(std::move(by)),
        field<"verdict">(std::move(verdict)));
}

}  // namespace

Is<"QuotedNumber"> number_json(const HeadlineNumber& number) {
    constexpr std::string_view bound = "more than ";
    const bool bounded = number.value.starts_with(bound);
    const std::string value = number.value.substr(bounded ? bound.size() : 0);
    const std::size_t unit = std::min(value.find(' '), value.size());
    std::string title = number.label;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return object<"QuotedNumber">(
        field<"metric">(number.metric),
        field<"title">(std::move(title)),
        field<"value">((bounded ? "> " : "") + value.substr(0, unit)),
        field<"interval">(number.interval.substr(0, number.interval.find(' '))),
        field<"unit">(value.substr(std::min(unit + 1, value.size()))));
}

Is<"RunAnswer"> run_answer(const RunDirectory& run) {
    auto numbers = list_of(headline(run.metrics), [&](const HeadlineNumber& number) {
        const MetricSummary* metric = metric_of(run, number.metric);
        auto out = number_json(number);
        add_to<"Noted">(out, field<"note">(metric != nullptr ? left_open(*metric) : ""));
        return of_type<"QuotedNumber & Noted">(std::move(out));
    });
    return object<"RunAnswer">(field<"question">(question(run)),
                               field<"window">(window_text(run)),
                               field<"broken">(broken(run)),
                               field<"numbers">(std::move(numbers)),
                               field<"intervals">(intervals_text(run)),
                               field<"takesTime">(takes_time(run.metrics)),
                               field<"payers">(who_pays(run)),
                               field<"limits">(what_limits(run)),
                               field<"warnings">(run.warnings));
}

std::vector<Is<"RunVerdict">> comparison_answer(const std::vector<RunDirectory>& runs,
                                                const Json& comparison) {
    std::vector<Is<"RunVerdict">> out;
    const std::vector<HeadlineNumber> numbers = headline(runs.front().metrics);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        Json metrics = nullptr;
        bool paired = false;
        // The comparison has the runs that share seeds with the first run, by their place.
        if (comparison.is_object()) {
            for (const Json& one : comparison["comparisons"]) {
                if (one["place"] == i) {
                    metrics = one["metrics"];
                    paired = one["pairs"] > 1;
                }
            }
        }
        auto rows = list_of(numbers, [&](const HeadlineNumber& number) {
            return comparison_row(number, runs.front(), runs[i], metrics);
        });
        out.push_back(
            object<"RunVerdict">(field<"paired">(paired), field<"rows">(std::move(rows))));
    }
    return out;
}

Is<"Record<string, Definition>"> definitions(const std::vector<std::string>& metrics) {
    Json out = Json::object();
    for (const std::string& name : metrics) {
        if (const MetricRecord* record = find_metric(name)) {
            out[name] = object<"Definition">(field<"part">(record->group),
                                             field<"unit">(record->unit),
                                             field<"meaning">(record->meaning));
        }
    }
    return of_type<"Record<string, Definition>">(std::move(out));
}

}  // namespace berth::report
