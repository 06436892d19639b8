#include "experiments/program/compare/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/results/replication_table.hpp"

namespace berth::experiments {
namespace {

using report::MetricComparison;
using report::ReplicationTable;

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// Keeps only the wanted metrics, with the verdicts that they have among all metrics.
void keep_wanted(const std::vector<std::string>& wanted, RunComparison& run) {
    if (!wanted.empty()) {
        const auto other = [&](const std::string& name) { return !has(wanted, name); };
        std::erase_if(run.one_sided, other);
        std::erase_if(run.metrics, [&](const MetricComparison& m) { return other(m.metric); });
    }
}

void check_wanted(const CompareOptions& options, const std::vector<ReplicationTable>& tables) {
    std::vector<std::string> known;
    for (const ReplicationTable& table : tables) {
        known.insert(known.end(), table.metrics.begin(), table.metrics.end());
    }
    for (const std::string& name : options.metrics) {
        if (!has(known, name)) {
            throw core::InputError(
                fmt::format("--metric: error: unknown metric '{}': expected one of the runs'{}",
                            name,
                            core::suggestion(name, known)));
        }
    }
}

}  // namespace

bool RunComparison::has_common_work() const {
    const FateComparison& pods = fates.pods;
    const FateComparison& groups = fates.groups;
    const bool alone =
        pods.baseline_only + pods.other_only + groups.baseline_only + groups.other_only > 0;
    return pods.both + groups.both > 0 || !alone;
}

Comparison compare_runs(const std::vector<RunArgument>& runs, const CompareOptions& options) {
    std::vector<ReplicationTable> tables;
    for (const RunArgument& run : runs) {
        tables.push_back(report::read_replication_table(run.directory));
    }
    check_wanted(options, tables);
    const ReplicationTable& baseline = tables.front();
    Comparison out;
    out.baseline = runs.front().label;
    out.headline = report::headline_metrics(baseline);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        std::vector<ReplicationPair> pairs;
        const std::vector<report::RowPair> rows = report::common_rows(baseline, tables[i]);
        for (const auto& [before, after] : rows) {
            pairs.push_back({before->seed, before->replication, after->replication});
        }
        RunComparison& run = out.runs.emplace_back();
        run.label = runs[i].label;
        run.inputs = differing_inputs(runs.front().directory, runs[i].directory);
        run.pairs = pairs.size();
        run.pairs_repeat = report::are_repeats(rows);
        run.baseline_left_out = baseline.by_seed.size() - pairs.size();
        run.other_left_out = tables[i].by_seed.size() - pairs.size();
        if (pairs.empty()) {
            continue;
        }
        run.metrics = report::compare_tables(baseline,
                                             tables[i],
                                             {run.inputs.work.empty(), run.inputs.cluster.empty()},
                                             &run.one_sided);
        out.tests += static_cast<std::size_t>(std::ranges::count_if(
            run.metrics, [](const MetricComparison& m) { return m.p_holm.has_value(); }));
        keep_wanted(options.metrics, run);
        if (!options.fates) {
            continue;
        }
        run.fates =
            compare_fates(runs.front().directory, runs[i].directory, pairs, options.fates_max);
        run.outages = compare_outages(runs.front().directory, runs[i].directory, pairs);
    }
    return out;
}

void check_comparable(const Comparison& comparison) {
    for (const RunComparison& run : comparison.runs) {
        if (run.pairs == 0) {
            throw core::InputError(
                fmt::format("{}: error: no seed in common with {}: expected runs with common seeds",
                            run.label,
                            comparison.baseline));
        }
        if (!run.has_common_work()) {
            throw core::InputError(
                fmt::format("{}: error: no pod in common with {}: expected runs of the same "
                            "workload, so that only the policy differs",
                            run.label,
                            comparison.baseline));
        }
    }
}

}  // namespace berth::experiments
