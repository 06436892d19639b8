#include "experiments/program/compare/compare_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/support/plural.hpp"
#include "core/support/text.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

using report::MetricComparison;
using report::PairedDifference;
using report::Verdict;
using Row = std::vector<std::string>;

/// A value with as many digits as the interval of the difference justifies, if there is an
/// interval.
std::string figure(double value, const PairedDifference& difference) {
    return difference.p ? report::text_to_interval(value, difference.ci95)
                        : report::number_text(value);
}

/// Such as `-1.5 to 3.2`; empty if there is no interval.
std::string interval_text(const PairedDifference& difference) {
    return difference.p ? fmt::format("{} to {}",
                                      figure(difference.mean - difference.ci95, difference),
                                      figure(difference.mean + difference.ci95, difference))
                        : "";
}

std::string p_text(const std::optional<double>& p) {
    constexpr double least = 0.0001;
    if (!p) {
        return "";
    }
    return *p < least ? "<0.0001" : fmt::format("{:.2g}", *p);
}

/// A table with aligned columns: names and verdicts are left-aligned, figures right-aligned.
std::string text_table(const std::vector<Row>& rows) {
    const std::size_t columns = rows.front().size();
    std::vector<std::size_t> width(columns);
    for (const Row& row : rows) {
        for (std::size_t c = 0; c < columns; ++c) {
            width[c] = std::max(width[c], row[c].size());
        }
    }
    std::string out;
    for (const Row& row : rows) {
        out += fmt::format("  {:<{}}", row[0], width[0]);
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            out += fmt::format("  {:>{}}", row[c], width[c]);
        }
        out += "  " + row.back();
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }
    return out;
}

/// Names, but not more than people would read.
std::string some(std::vector<std::string> names) {
    constexpr std::size_t shown_max = 8;
    const std::size_t all = names.size();
    names.resize(std::min(all, shown_max));
    return fmt::format("{}{}",
                       core::join(names, ", "),
                       all > shown_max ? fmt::format(" and {} more", all - shown_max) : "");
}

std::string side_text(double mean,
                      const report::Censoring& side,
                      const PairedDifference& difference) {
    return (side.bounds > 0 ? "> " : "") + figure(mean, difference);
}

/// Completes a row, which has its first cells, with the value, the difference with its interval,
/// and the verdict.
Row row_of(Row row, const MetricComparison& metric, bool effect) {
    const PairedDifference& difference = metric.difference;
    row.push_back(side_text(difference.other_mean, metric.other, difference));
    row.push_back(difference.equal
                      ? "0"
                      : (difference.mean > 0 ? "+" : "") + figure(difference.mean, difference));
    row.push_back(interval_text(difference));
    if (effect) {
        row.push_back(difference.effect ? fmt::format("{:.2f}", *difference.effect) : "");
    }
    row.push_back(p_text(metric.p_holm));
    row.emplace_back(metric.verdict == Verdict::too_few_pairs ? "" : to_string(metric.verdict));
    return row;
}

/// Whether a metric is shown even if the user does not ask for all.
bool tells(const MetricComparison& metric) {
    return is_real(metric.verdict) || metric.verdict == Verdict::not_comparable ||
           (metric.verdict == Verdict::too_few_pairs && metric.difference.mean != 0);
}

/// The note on the families within which p is corrected.
std::string families_text(const Comparison& comparison) {
    return fmt::format(
        "p: paired Student's t test, Holm-corrected in two families of each pair of runs:\n{}the "
        "other metrics; intervals are not corrected; verdicts: corrected p below 0.05\n",
        comparison.headline.empty() ? ""
                                    : fmt::format("the headline numbers ({}), and\n",
                                                  core::join(comparison.headline, ", ")));
}

std::string metrics_text(const RunComparison& run, bool all) {
    std::vector<Row> rows{{"",
                           "baseline",
                           "this run",
                           "difference",
                           "95 % interval",
                           "effect",
                           "p (Holm)",
                           "verdict"}};
    std::vector<std::string> unsure;
    std::vector<std::string> few;
    std::size_t equal = 0;
    for (const MetricComparison& metric : run.metrics) {
        if (all || tells(metric)) {
            const PairedDifference& of = metric.difference;
            rows.push_back(row_of(
                {metric.metric, side_text(of.baseline_mean, metric.baseline, of)}, metric, true));
        } else if (metric.verdict == Verdict::equal) {
            ++equal;
        } else {
            unsure.push_back(metric.metric);
        }
    }
    std::string out = rows.size() > 1 ? text_table(rows) : "";
    if (!unsure.empty()) {
        out += fmt::format("  no difference shown: {}\n", some(unsure));
    }
    if (equal > 0) {
        out += fmt::format("  {} equal in every pair\n", core::plural(equal, "metric"));
    }
    if (!run.one_sided.empty()) {
        out += fmt::format("  only in one of the runs: {}\n", some(run.one_sided));
    }
    return out;
}

std::string fate_text(const Fate& fate) {
    std::string out = fate.outcome;
    if (!fate.place.empty()) {
        out += " on " + fate.place;
    }
    if (fate.wait_s) {
        out += ", waited " + report::duration_text(*fate.wait_s);
    }
    if (fate.jct_s) {
        out += ", done after " + report::duration_text(*fate.jct_s);
    }
    if (!fate.reason.empty()) {
        out += ": " + fate.reason;
    }
    return out;
}

std::string fates_text(const FateComparison& fates, const std::string& noun) {
    if (fates.both + fates.baseline_only + fates.other_only == 0) {
        return "";
    }
    std::string out = fmt::format("  {} in both", core::plural(fates.both, noun));
    if (fates.baseline_only + fates.other_only > 0) {
        out += fmt::format(", {} in the baseline alone, {} in this run alone",
                           fates.baseline_only,
                           fates.other_only);
    }
    // For a group, the files state how many nodes of each level it used, but not which ones.
    out += fmt::format("; waited longer {}, shorter {}; {} {}\n",
                       fates.waited_longer,
                       fates.waited_shorter,
                       noun == "group" ? "on more or fewer nodes" : "placed elsewhere",
                       fates.moved);
    for (const auto& [outcome, count] : fates.outcomes) {
        out += fmt::format("    {} -> {}: {}\n", outcome.first, outcome.second, count);
    }
    if (!fates.most.empty()) {
        out += fmt::format("  the {}s whose fate changed most:\n", noun);
    }
    for (const FateChange& change : fates.most) {
        out += fmt::format(
            "    {} (replication {}, seed {})\n      baseline: {}\n      this run: {}\n",
            change.baseline.name,
            change.replication,
            change.seed,
            fate_text(change.baseline),
            fate_text(change.other));
    }
    return out;
}

std::string outages_text(const OutageComparison& outages) {
    const auto lost = [](std::uint64_t jobs) {
        return fmt::format(
            "{} lost {}", core::plural(jobs, "job"), jobs == 1 ? "its places" : "places");
    };
    std::string out = fmt::format(
        "  {} at the same time in both: {} took places of jobs in both, {} in the baseline alone, "
        "{} in this run alone; {} in the baseline, {} in this run\n",
        core::plural(outages.both, "outage"),
        outages.hit_both,
        outages.hit_baseline_only,
        outages.hit_other_only,
        lost(outages.jobs_baseline),
        outages.jobs_other);
    if (outages.baseline_only.outages + outages.other_only.outages > 0) {
        out += fmt::format("  {} in the baseline alone, where {}; {} in this run alone, where {}\n",
                           core::plural(outages.baseline_only.outages, "outage"),
                           lost(outages.baseline_only.jobs),
                           outages.other_only.outages,
                           lost(outages.other_only.jobs));
    }
    return out;
}

bool has_bounds(const RunComparison& run) {
    return std::ranges::any_of(run.metrics, [](const MetricComparison& metric) {
        return metric.baseline.bounds + metric.other.bounds > 0;
    });
}

bool has_doubts(const RunComparison& run) {
    return std::ranges::any_of(run.metrics, [](const MetricComparison& metric) {
        return metric.verdict == Verdict::not_comparable;
    });
}

std::string left_out_text(const RunComparison& run) {
    if (run.baseline_left_out + run.other_left_out == 0) {
        return "";
    }
    return fmt::format(
        "  left out, since their seeds are not in both: {} of the baseline, {} of this run\n",
        core::plural(run.baseline_left_out, "replication"),
        run.other_left_out);
}

/// One metric at one point.
struct PointRow {
    const RunComparison* point;
    const MetricComparison* metric;
};

/// The rows of each metric, in the order of the metrics at the points.
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

std::string points_table(const std::vector<PointRow>& rows, const std::string& baseline) {
    const PairedDifference& first = rows.front().metric->difference;
    std::vector<Row> lines{
        {"", "mean", "difference", "95 % interval", "p (Holm)", "verdict"},
        {baseline, report::number_text(first.baseline_mean), "", "", "", "the baseline"}};
    for (const PointRow& row : rows) {
        lines.push_back(row_of({row.point->label}, *row.metric, false));
    }
    return text_table(lines);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool all) {
    std::string out;
    for (const RunComparison& run : comparison.runs) {
        out += fmt::format("{} against {}, the baseline: {} of replications by seed\n",
                           run.label,
                           comparison.baseline,
                           core::plural(run.pairs, "pair"));
        if (const std::string warning = warning_of(run.inputs); !warning.empty()) {
            out += fmt::format("  {}: {}\n", run.inputs.work.empty() ? "note" : "WARNING", warning);
        }
        out += left_out_text(run);
        if (run.pairs == 1) {
            out +=
                "  one pair tells no difference from chance: expected two or more that differ; a "
                "trace is drawn anew with bootstrap\n";
        } else if (run.pairs_repeat) {
            out +=
                "  all pairs are the same, and tell no difference from chance: nothing is drawn, "
                "as in a trace without bootstrap\n";
        }
        out += metrics_text(run, all);
        out += run.outages ? outages_text(*run.outages) : "";
        out += fates_text(run.fates.groups, "group");
        out += fates_text(run.fates.pods, "pod");
        out += "\n";
    }
    if (std::ranges::any_of(comparison.runs, has_bounds)) {
        out += "> and a figure: at least that, since some still waited or ran when the run ended\n";
    }
    if (std::ranges::any_of(comparison.runs, has_doubts)) {
        out +=
            "not comparable: in the run with the lower value more never started, or the percentile "
            "was not reached\n";
    }
    if (comparison.tests > 0) {
        out += "effect: Hedges' g of the paired differences; " + families_text(comparison);
    }
    return out;
}

std::string points_text(const Comparison& comparison, bool all) {
    std::string out;
    std::vector<std::string> unsure;
    for (const std::vector<PointRow>& rows : rows_by_metric(comparison)) {
        const std::string& metric = rows.front().metric->metric;
        const bool shown =
            std::ranges::any_of(rows, [](const PointRow& row) { return tells(*row.metric); });
        if (!all && !shown) {
            unsure.push_back(metric);
            continue;
        }
        out += fmt::format("{}\n{}\n", metric, points_table(rows, comparison.baseline));
    }
    if (!unsure.empty()) {
        out += fmt::format("no difference shown of any point: {}\n", some(std::move(unsure)));
    }
    out += "Replications are paired by seed; " + families_text(comparison);
    return out;
}

}  // namespace berth::experiments
