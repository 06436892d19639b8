#include "experiments/program/compare/compare_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/compare/difference_text.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

std::string difference_text(const PairedDifference& difference) {
    return difference.equal
               ? "0"
               : (difference.mean > 0 ? "+" : "") + figure(difference.mean, difference);
}

std::string side_text(double mean, const Censoring& side, const PairedDifference& difference) {
    return (side.bounds > 0 ? "> " : "") + figure(mean, difference);
}

using Row = TextRow;

Row row_of(const MetricComparison& metric) {
    const PairedDifference& difference = metric.difference;
    return {metric.metric,
            side_text(difference.baseline_mean, metric.baseline, difference),
            side_text(difference.other_mean, metric.other, difference),
            difference_text(difference),
            interval_text(difference),
            difference.effect ? fmt::format("{:.2f}", *difference.effect) : "",
            p_text(metric.p_holm),
            std::string(to_string(metric.verdict))};
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
        const bool differs_once =
            metric.verdict == Verdict::too_few_pairs && metric.difference.mean != 0;
        if (all || is_real(metric.verdict) || metric.verdict == Verdict::not_comparable ||
            differs_once) {
            rows.push_back(row_of(metric));
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
        out += fmt::format("  {} equal in every pair\n", plural(equal, "metric"));
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
    std::string out = fmt::format("  {} in both", plural(fates.both, noun));
    if (fates.baseline_only + fates.other_only > 0) {
        out += fmt::format(", {} in the baseline alone, {} in this run alone",
                           fates.baseline_only,
                           fates.other_only);
    }
    // Of a group the files tell over how many nodes of each level it was, and not which.
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
        return fmt::format("{} lost {}", plural(jobs, "job"), jobs == 1 ? "its places" : "places");
    };
    std::string out = fmt::format(
        "  {} at the same time in both: {} took places of jobs in both, {} in the baseline alone, "
        "{} in this run alone; {} in the baseline, {} in this run\n",
        plural(outages.both, "outage"),
        outages.hit_both,
        outages.hit_baseline_only,
        outages.hit_other_only,
        lost(outages.jobs_baseline),
        outages.jobs_other);
    if (outages.baseline_only.outages + outages.other_only.outages > 0) {
        out += fmt::format("  {} in the baseline alone, where {}; {} in this run alone, where {}\n",
                           plural(outages.baseline_only.outages, "outage"),
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
        "  left out, for their seeds are not in both: {} of the baseline, {} of "
        "this run\n",
        plural(run.baseline_left_out, "replication"),
        run.other_left_out);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool all) {
    std::string out;
    for (const RunComparison& run : comparison.runs) {
        out += fmt::format("{} against {}, the baseline: {} of replications by seed\n",
                           run.label,
                           comparison.baseline,
                           plural(run.pairs, "pair"));
        if (const std::string warning = warning_of(run.inputs); !warning.empty()) {
            out += fmt::format("  {}: {}\n", run.inputs.work.empty() ? "note" : "WARNING", warning);
        }
        out += left_out_text(run);
        if (run.pairs == 1) {
            out += "  one pair tells no difference from chance: expected two or more\n";
        }
        out += metrics_text(run, all);
        out += run.outages ? outages_text(*run.outages) : "";
        out += fates_text(run.fates.groups, "group");
        out += fates_text(run.fates.pods, "pod");
        out += "\n";
    }
    if (std::ranges::any_of(comparison.runs, has_bounds)) {
        out += "> and a figure: at least that, for some still waited or ran when the run ended\n";
    }
    if (std::ranges::any_of(comparison.runs, has_doubts)) {
        out +=
            "not comparable: in the run with the lower value more never started, or the percentile "
            "was not reached\n";
    }
    if (comparison.tests > 0) {
        out += fmt::format(
            "effect: Hedges' g of the paired differences; p: paired Student's t "
            "test, Holm-corrected for {};\nintervals are not corrected; better and "
            "worse: corrected p below 0.05\n",
            plural(comparison.tests, "test"));
    }
    return out;
}

}  // namespace berth::experiments
