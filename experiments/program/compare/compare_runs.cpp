#include "experiments/program/compare/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "core/support/source.hpp"
#include "experiments/program/compare/replication_table.hpp"

namespace berth::experiments {
namespace {

constexpr double level = 0.05;

/// The replications of both tables that have one seed.
struct CommonRow {
    std::uint64_t seed = 0;
    const ReplicationTable::Row* baseline = nullptr;
    const ReplicationTable::Row* other = nullptr;
};

std::vector<CommonRow> common_rows(const ReplicationTable& baseline,
                                   const ReplicationTable& other) {
    std::vector<CommonRow> rows;
    for (const auto& [seed, row] : baseline.by_seed) {
        const auto found = other.by_seed.find(seed);
        if (found != other.by_seed.end()) {
            rows.push_back({seed, &row, &found->second});
        }
    }
    // Seeds are hashes: files are read in the order of their replications.
    std::ranges::sort(rows, {}, [](const CommonRow& row) { return row.baseline->replication; });
    return rows;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

using Figure = ReplicationTable::Figure;

/// What stands for a metric: with those that still wait as long as they have waited.
std::optional<double> compared_value(const Figure& figure) {
    return figure.at_least ? figure.at_least : figure.value;
}

void count(const Figure& figure, Censoring& side) {
    side.bounds += figure.at_least ? 1 : 0;
    side.not_reached += figure.at_least && !figure.value ? 1 : 0;
    side.never_started += figure.never_started;
}

void compare_metrics(const ReplicationTable& baseline,
                     const ReplicationTable& other,
                     const std::vector<CommonRow>& rows,
                     const CompareOptions& options,
                     RunComparison& out) {
    std::map<std::string_view, std::size_t> column_of;
    for (std::size_t i = 0; i < other.metrics.size(); ++i) {
        column_of[other.metrics[i]] = i;
    }
    const auto wanted = [&](const std::string& name) {
        return options.metrics.empty() || has(options.metrics, name);
    };
    for (std::size_t i = 0; i < baseline.metrics.size(); ++i) {
        const std::string& name = baseline.metrics[i];
        const auto at = column_of.find(name);
        if (!wanted(name)) {
            continue;
        }
        if (at == column_of.end()) {
            out.one_sided.push_back(name);
            continue;
        }
        MetricComparison compared;
        compared.metric = name;
        compared.direction = report::direction_of(name);
        std::vector<ValuePair> pairs;
        for (const CommonRow& row : rows) {
            const Figure& a = row.baseline->figures[i];
            const Figure& b = row.other->figures[at->second];
            const auto a_value = compared_value(a);
            const auto b_value = compared_value(b);
            if (a_value && b_value) {
                pairs.push_back({*a_value, *b_value});
                count(a, compared.baseline);
                count(b, compared.other);
            }
        }
        if (pairs.empty()) {
            continue;  // nothing was measured in either
        }
        compared.difference = paired_difference(pairs);
        compared.baseline.never_started /= static_cast<double>(pairs.size());
        compared.other.never_started /= static_cast<double>(pairs.size());
        out.metrics.push_back(std::move(compared));
    }
    const std::set<std::string_view> known(baseline.metrics.begin(), baseline.metrics.end());
    std::ranges::copy_if(other.metrics, std::back_inserter(out.one_sided), [&](const auto& name) {
        return wanted(name) && !known.contains(name);
    });
}

/// Whether the side with the lower value may owe that to jobs that are not counted.
bool lower_is_doubtful(const MetricComparison& metric) {
    constexpr double share = 0.01;
    const bool other_is_lower = metric.difference.mean < 0;
    const Censoring& lower = other_is_lower ? metric.other : metric.baseline;
    const Censoring& higher = other_is_lower ? metric.baseline : metric.other;
    return lower.not_reached > 0 || lower.never_started > higher.never_started + share;
}

Verdict verdict_of(const MetricComparison& metric, bool same_work) {
    const PairedDifference& difference = metric.difference;
    if (difference.equal) {
        return Verdict::equal;
    }
    if (lower_is_doubtful(metric)) {
        return Verdict::not_comparable;
    }
    if (!metric.p_holm) {
        return Verdict::too_few_pairs;
    }
    if (*metric.p_holm >= level) {
        return Verdict::no_difference_shown;
    }
    const bool higher = difference.mean > 0;
    if (metric.direction == report::Direction::unknown || !same_work) {
        return higher ? Verdict::higher : Verdict::lower;
    }
    const bool better = higher == (metric.direction == report::Direction::higher);
    return better ? Verdict::better : Verdict::worse;
}

/// Corrects over all metrics of all runs together, and then says what is real.
void judge(Comparison& comparison) {
    std::vector<double> p;
    std::vector<MetricComparison*> tested;
    for (RunComparison& run : comparison.runs) {
        for (MetricComparison& metric : run.metrics) {
            if (metric.difference.p) {
                p.push_back(*metric.difference.p);
                tested.push_back(&metric);
            }
        }
    }
    const std::vector<double> adjusted = holm_adjusted(p);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        tested[i]->p_holm = adjusted[i];
    }
    comparison.tests = tested.size();
    for (RunComparison& run : comparison.runs) {
        for (MetricComparison& metric : run.metrics) {
            metric.verdict = verdict_of(metric, run.inputs.work.empty());
        }
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

std::string_view to_string(Verdict verdict) {
    static constexpr std::array names{"better",
                                      "worse",
                                      "higher",
                                      "lower",
                                      "no difference shown",
                                      "equal",
                                      "too few pairs",
                                      "not comparable"};
    return names[static_cast<std::size_t>(verdict)];
}

bool RunComparison::has_common_work() const {
    const FateComparison& pods = fates.pods;
    const FateComparison& groups = fates.groups;
    const bool alone =
        pods.baseline_only + pods.other_only + groups.baseline_only + groups.other_only > 0;
    return pods.both + groups.both > 0 || !alone;
}

bool is_real(Verdict verdict) {
    return verdict == Verdict::better || verdict == Verdict::worse || verdict == Verdict::higher ||
           verdict == Verdict::lower;
}

Comparison compare_runs(const std::vector<RunArgument>& runs, const CompareOptions& options) {
    std::vector<ReplicationTable> tables;
    for (const RunArgument& run : runs) {
        tables.push_back(read_replication_table(run.directory));
    }
    check_wanted(options, tables);
    Comparison out;
    out.baseline = runs.front().label;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const std::vector<CommonRow> rows = common_rows(tables.front(), tables[i]);
        RunComparison& run = out.runs.emplace_back();
        run.label = runs[i].label;
        run.inputs = differing_inputs(runs.front().directory, runs[i].directory);
        run.pairs = rows.size();
        run.baseline_left_out = tables.front().by_seed.size() - rows.size();
        run.other_left_out = tables[i].by_seed.size() - rows.size();
        if (rows.empty()) {
            continue;
        }
        compare_metrics(tables.front(), tables[i], rows, options, run);
        if (!options.fates) {
            continue;
        }
        std::vector<ReplicationPair> pairs;
        for (const CommonRow& row : rows) {
            pairs.push_back({row.seed, row.baseline->replication, row.other->replication});
        }
        run.fates =
            compare_fates(runs.front().directory, runs[i].directory, pairs, options.fates_max);
        run.outages = compare_outages(runs.front().directory, runs[i].directory, pairs);
    }
    judge(out);
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
