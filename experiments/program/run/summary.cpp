#include "experiments/program/run/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/support/csv_record.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/claims_json.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/support/interval_text.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/sql_names.hpp"

namespace berth::experiments {
namespace {

using core::Level;
using core::Members;
using report::ClaimFigure;
using report::ClaimResult;

double mean_of(const std::vector<double>& values) {
    return statistics_of(values).mean;
}

/// Members per node in words: `108 + 12`, or for many nodes `15 x 8`, which is fifteen times eight.
std::string counts_text(const std::vector<Members>& sorted) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t end = i;
        while (end < sorted.size() && sorted[end] == sorted[i]) {
            ++end;
        }
        parts.push_back(end - i == 1 ? fmt::format("{}", sorted[i])
                                     : fmt::format("{} x {}", sorted[i], end - i));
        i = end;
    }
    return parts.empty() ? "none" : core::join(parts, " + ");
}

std::string figure_text(double value) {
    return fmt::format("{:.6g}", value);
}

/// A figure in another unit, without the unit's name.
std::string figure_text(double value, const report::Scale& scale) {
    return scale.factor == 1 ? figure_text(value) : report::number_text(value * scale.factor);
}

/// The unit for both sides of a claim. For a duration, the longest one chooses it.
report::Scale scale_of(const Claim& claim, const MetricSummary& summary) {
    const report::MetricRecord* record = report::find_metric(claim.metric);
    if (record == nullptr || record->unit != "s") {
        return {};
    }
    double longest = std::max(std::abs(summary.statistics.mean), summary.at_least.value_or(0));
    for (const double bound : {claim.least, claim.most}) {
        longest = std::max(longest, std::isinf(bound) ? 0 : std::abs(bound));
    }
    return report::time_scale(longest);
}

std::string range_text(const Claim& claim, const report::Scale& scale) {
    const std::string least = figure_text(claim.least, scale);
    const std::string most = figure_text(claim.most, scale);
    const std::string range = claim.least == claim.most ? least
                              : std::isinf(claim.least) ? "at most " + most
                              : std::isinf(claim.most)  ? "at least " + least
                                                        : fmt::format("{} to {}", least, most);
    return range + std::string(scale.suffix);
}

/// The mean for people, with what it leaves out: `> 3600, 96.8 % never started`.
std::string measured_text(const MetricSummary& summary, const report::Scale& scale) {
    const Statistics& statistics = summary.statistics;
    std::string out = figure_text(statistics.mean, scale);
    if (!summary.reached) {
        out = "> " + figure_text(*summary.at_least, scale);
    } else if (statistics.ci95.value_or(0) > 0) {
        out =
            report::with_interval(statistics.mean * scale.factor, *statistics.ci95 * scale.factor);
    }
    out += scale.suffix;
    if (summary.never_started.value_or(0) > 0) {
        out += fmt::format(", {:.3g} % never started", 100 * *summary.never_started);
    }
    if (summary.reached && summary.at_least) {
        out += fmt::format(", at least {}{} with those that had not ended",
                           figure_text(*summary.at_least, scale),
                           scale.suffix);
    }
    return out;
}

struct Interval {
    double low = 0;
    double high = 0;
};

/// The 95 % interval, or just the mean if there is none. It does not go below 0 if no value does,
/// nor above the whole for a share or percentage.
Interval interval_of(const std::string& metric, const Statistics& statistics) {
    const double half = statistics.ci95.value_or(0);
    Interval out{statistics.mean - half, statistics.mean + half};
    if (statistics.min >= 0) {
        out.low = std::max(out.low, 0.0);
    }
    const report::MetricRecord* record = report::find_metric(metric);
    const std::string_view unit = record != nullptr ? record->unit : "";
    const double whole = unit == "share" ? 1 : 100;
    if ((unit == "share" || unit == "%") && statistics.max <= whole) {
        out.high = std::min(out.high, whole);
    }
    return out;
}

/// Whether an interval is within a claim's range. A percentile that was not reached has no upper
/// bound, so it meets no `most`. A mean must meet `most` even with the jobs that still wait.
bool holds(const Claim& claim, const MetricSummary& summary, const Interval& interval) {
    if (!summary.reached) {
        return std::isinf(claim.most) && claim.least <= *summary.at_least;
    }
    const double high = std::max(interval.high, summary.at_least.value_or(interval.high));
    return claim.least <= interval.low && high <= claim.most;
}

/// Whether the run is too short for a percentile of waits, which makes the measured value too low.
bool is_too_short(const std::string& metric, const Results& results) {
    const std::string_view name = std::string_view(metric).substr(0, metric.find('['));
    return std::ranges::any_of(results.short_percentiles, [&](int percent) {
        return name == fmt::format("job_wait_s_p{}", percent) ||
               name == fmt::format("wait_s_p{}", percent);
    });
}

/// Judges an expectation by its interval, and adds to the text what the mean alone does not show.
void check_interval(const Claim& claim,
                    const MetricSummary& summary,
                    const Results& results,
                    const report::Scale& scale,
                    ClaimResult& out) {
    const Interval interval = interval_of(claim.metric, summary.statistics);
    const bool mean_holds = std::exchange(out.holds, holds(claim, summary, interval));
    if (mean_holds && !out.holds) {
        const double worst = interval.low < claim.least ? interval.low : interval.high;
        out.measured += fmt::format(", at worst {}{}", figure_text(worst, scale), scale.suffix);
    }
    if (is_too_short(claim.metric, results)) {
        out.measured += ", and too low, since the run is short for it";
        out.holds = false;
    }
}

/// Figures are in units for people, or as the experiment states them.
enum class Wording : std::uint8_t { in_units, as_stated };

ClaimResult check_metric(const Claim& claim, const Results& results, Wording wording) {
    ClaimResult out;
    out.text = claim.text.empty() ? claim.metric : claim.text;
    out.source = claim.source;
    const auto scale_with = [&](const MetricSummary& summary) {
        return wording == Wording::in_units ? scale_of(claim, summary) : report::Scale();
    };
    out.expected = range_text(claim, scale_with({}));
    const auto& metrics = results.replications.front();
    const auto at = std::ranges::find(metrics, claim.metric, &sim::Metric::name);
    if (at == metrics.end()) {
        out.measured = "no jobs of that kind";  // unknown names were reported before the run
        return out;
    }
    const MetricSummary summary =
        summary_of(results, static_cast<std::size_t>(at - metrics.begin()));
    if (summary.n == 0) {
        out.measured = "nothing";
        return out;
    }
    const report::Scale scale = scale_with(summary);
    out.expected = range_text(claim, scale);
    out.measured = measured_text(summary, scale);
    out.holds = holds(claim, summary, {summary.statistics.mean, summary.statistics.mean});
    if (claim.by_interval) {
        check_interval(claim, summary, results, scale, out);
    }
    return out;
}

nlohmann::ordered_json summary_entry(const MetricSummary& summary) {
    const Statistics& statistics = summary.statistics;
    const auto known = [&](std::optional<double> value) {
        return summary.reached && value ? nlohmann::ordered_json(*value)
                                        : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json out{{"mean", known(statistics.mean)},
                               {"sd", known(statistics.sd)},
                               {"ci95", known(statistics.ci95)},
                               {"min", known(statistics.min)},
                               {"max", known(statistics.max)},
                               {"n", summary.n}};
    if (summary.at_least) {
        out["at_least"] = *summary.at_least;
    }
    if (summary.never_started) {
        out["never_started"] = *summary.never_started;
    }
    return out;
}

/// How many nodes have each number of members, the largest number first.
ClaimFigure::Counts nodes_by_members(const std::vector<Members>& sorted) {
    ClaimFigure::Counts out;
    for (const Members count : sorted) {
        const std::string members = std::to_string(count);
        if (out.empty() || out.back().first != members) {
            out.emplace_back(members, 0);
        }
        ++out.back().second;
    }
    return out;
}

/// The members on each node, in the order of the tree.
ClaimFigure::Counts members_by_node(std::vector<core::PlacedNode> placed,
                                    const core::Topology& tree) {
    std::ranges::sort(placed, {}, [](const core::PlacedNode& at) { return at.node.index; });
    ClaimFigure::Counts out;
    for (const core::PlacedNode& at : placed) {
        out.emplace_back(tree.name(at.node), at.count);
    }
    return out;
}

ClaimResult check_placement(const Claim& claim,
                            const Results& results,
                            const core::Topology& tree) {
    ClaimResult out;
    out.source = claim.source;
    const std::string& group = claim.group.empty() ? results.first_group : claim.group;
    std::vector<core::PlacedNode> placed;
    if (const auto placement = results.placements.find(group);
        placement != results.placements.end()) {
        std::ranges::copy_if(
            placement->second.nodes, std::back_inserter(placed), [&](const core::PlacedNode& at) {
                return tree.level_of(at.node) == claim.level;
            });
    }
    if (claim.kind == Claim::Kind::members) {
        std::vector<Members> counts;
        std::ranges::transform(placed, std::back_inserter(counts), &core::PlacedNode::count);
        std::ranges::sort(counts, std::greater());
        out.text = claim.text.empty() ? fmt::format("members by {}", tree.level_name(claim.level))
                                      : claim.text;
        out.expected = counts_text(claim.members);
        out.measured = counts_text(counts);
        out.holds = counts == claim.members;
        if (claim.published) {
            const bool named = !claim.published_nodes.empty();
            out.figure = {tree.level_name(claim.level),
                          named,
                          named ? claim.published_nodes : nodes_by_members(claim.members),
                          named ? members_by_node(placed, tree) : nodes_by_members(counts)};
        }
    } else {
        std::vector<std::string> names;
        for (const core::PlacedNode& at : placed) {
            names.emplace_back(tree.name(at.node));
        }
        out.text =
            claim.text.empty() ? fmt::format("{}s used", tree.level_name(claim.level)) : claim.text;
        out.expected = core::join(claim.nodes, ", ");
        out.measured = names.empty() ? "none" : core::join(names, ", ");
        out.holds = names == claim.nodes;
    }
    return out;
}

/// Describes how each `ci95` was computed.
nlohmann::ordered_json interval_json(std::uint32_t replications) {
    constexpr double level = 0.95;
    if (replications > 1) {
        return {{"method", "replications"}, {"level", level}};
    }
    return {{"method", "none"},
            {"level", level},
            {"why", "one replication has no interval: set spec.replications to 2 or more"}};
}

}  // namespace

Statistics statistics_of(const std::vector<double>& values) {
    Statistics out;
    out.n = values.size();
    if (values.empty()) {
        return out;
    }
    const auto n = static_cast<double>(values.size());
    const report::Spread spread = report::spread_of(values);
    out.mean = spread.mean;
    out.min = *std::ranges::min_element(values);
    out.max = *std::ranges::max_element(values);
    if (values.size() == 1) {
        return out;
    }
    if (out.min == out.max) {
        out.mean = out.min;  // avoids rounding errors
        out.ci95 = 0;
        return out;
    }
    out.sd = spread.sd;
    out.ci95 = report::student_t95(values.size() - 1) * out.sd / std::sqrt(n);
    return out;
}

MetricSummary summary_of(const Results& results, std::size_t metric) {
    std::vector<double> values;
    std::vector<double> bounds;
    std::vector<double> never_started;
    MetricSummary out;
    bool censored = false;
    for (const auto& replication : results.replications) {
        const sim::Metric& one = replication[metric];
        if (one.never_started) {
            never_started.push_back(*one.never_started);
        }
        if (one.value) {
            values.push_back(*one.value);
        }
        if (const auto bound = one.at_least ? one.at_least : one.value) {
            bounds.push_back(*bound);
            out.reached = out.reached && one.value;
            censored = censored || one.at_least;
        }
    }
    out.n = bounds.size();
    out.statistics = statistics_of(values);
    if (censored) {
        out.at_least = mean_of(bounds);
    }
    if (!never_started.empty()) {
        out.never_started = mean_of(never_started);
    }
    return out;
}

std::vector<ClaimResult> check_claims(const ExperimentSpec& spec, const Results& results) {
    std::vector<ClaimResult> out;
    for (const Claim& claim : spec.claims) {
        out.push_back(claim.kind == Claim::Kind::metric
                          ? check_metric(claim, results, Wording::in_units)
                          : check_placement(claim, results, *spec.topology));
    }
    return out;
}

std::vector<ClaimResult> check_expectations(const ExperimentSpec& spec, const Results& results) {
    std::vector<ClaimResult> out;
    for (const Claim& expectation : spec.expectations) {
        out.push_back(check_metric(expectation, results, Wording::as_stated));
    }
    return out;
}

namespace {

bool has_window(const ExperimentSpec& spec) {
    const sim::Window& window = spec.settings.window;
    return spec.find_warm_up || window.from.count() > 0 || window.to != sim::never;
}

std::string_view window_rule(const ExperimentSpec& spec) {
    return spec.find_warm_up ? "mser-5" : "fixed";
}

}  // namespace

std::string window_text(const ExperimentSpec& spec) {
    if (!has_window(spec)) {
        return "";
    }
    const sim::Window& window = spec.settings.window;
    const auto text = [](sim::SimTime time) {
        return time == sim::never ? "the end" : report::value_text("s", sim::seconds(time)).value;
    };
    return fmt::format("{} to {} ({})", text(window.from), text(window.to), window_rule(spec));
}

std::string summary_json(const ExperimentSpec& spec,
                         const Results& results,
                         const std::vector<ClaimResult>& claims,
                         const std::vector<ClaimResult>& expectations) {
    nlohmann::ordered_json out{{"schema", "berth.summary/v1"},
                               {"experiment", spec.name},
                               {"replications", spec.replications},
                               {"interval", interval_json(spec.replications)}};
    if (has_window(spec)) {
        const sim::Window& window = spec.settings.window;
        auto& out_window = out["window"];
        out_window["from_s"] = sim::seconds(window.from);
        out_window["to_s"] = nullptr;
        if (window.to != sim::never) {
            out_window["to_s"] = sim::seconds(window.to);
        }
        out_window["rule"] = window_rule(spec);
    }
    if (!results.warnings.empty()) {
        out["warnings"] = results.warnings;
    }
    if (!results.notes.empty()) {
        out["notes"] = results.notes;
    }
    auto& metrics = out["metrics"] = nlohmann::ordered_json::object();
    const auto& first = results.replications.front();
    for (std::size_t metric = 0; metric < first.size(); ++metric) {
        const MetricSummary summary = summary_of(results, metric);
        if (summary.n > 0) {
            metrics[first[metric].name] = summary_entry(summary);
        }
    }
    out["claims"] = report::claims_json(claims);
    for (const ClaimResult& expectation : expectations) {
        out["expectations"].push_back({{"metric", expectation.text},
                                       {"expected", expectation.expected},
                                       {"measured", expectation.measured},
                                       {"holds", expectation.holds}});
    }
    return dumped(out, 2) + "\n";
}

std::string replications_csv(const ExperimentSpec& spec, const Results& results) {
    std::vector<std::string> names;
    std::ranges::transform(
        results.replications.front(), std::back_inserter(names), &sim::Metric::name);
    const std::vector<std::size_t> repeated = report::quoted_columns(names);
    std::string out = report::header_of(report::Table::replications, {report::Part::always});
    out.pop_back();
    for (const std::string& name : names) {
        out += "," + core::csv_field(name);
    }
    for (const std::size_t column : repeated) {
        out += "," + report::sql_column(names[column]);
    }
    out += '\n';
    for (std::size_t replication = 0; replication < results.replications.size(); ++replication) {
        const auto number = static_cast<std::uint32_t>(replication);
        out += fmt::format("{},{}", replication, sim::replication_seed(spec.seed, number));
        const auto add = [&](const sim::Metric& metric) {
            out += metric.value ? fmt::format(",{}", *metric.value) : ",";
        };
        for (const sim::Metric& metric : results.replications[replication]) {
            add(metric);
        }
        for (const std::size_t column : repeated) {
            add(results.replications[replication][column]);
        }
        out += '\n';
    }
    return out;
}

std::string censored_csv(const Results& results) {
    std::string out = report::header_of(report::Table::censored, {report::Part::always});
    for (std::size_t replication = 0; replication < results.replications.size(); ++replication) {
        for (const sim::Metric& metric : results.replications[replication]) {
            if (metric.at_least || metric.never_started.value_or(0) > 0) {
                out += fmt::format("{},{},{},{}\n",
                                   replication,
                                   core::csv_field(metric.name),
                                   metric.at_least ? fmt::format("{}", *metric.at_least) : "",
                                   metric.never_started.value_or(0));
            }
        }
    }
    return out;
}

}  // namespace berth::experiments
