#include "experiments/program/results/verdict.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {
namespace {

constexpr double level = 0.05;

using Figure = ReplicationTable::Figure;

/// The value to compare: if there is a bound, that, so jobs that still wait count with the time so
/// far.
std::optional<double> compared_value(const Figure& figure) {
    return figure.at_least ? figure.at_least : figure.value;
}

void count(const Figure& figure, Censoring& side) {
    side.bounds += figure.at_least ? 1 : 0;
    side.not_reached += figure.at_least && !figure.value ? 1 : 0;
    side.never_started += figure.never_started;
}

/// Compares a metric; nothing if no pair has a value in both runs.
std::optional<MetricComparison> compare_metric(const std::vector<RowPair>& rows,
                                               std::size_t in_baseline,
                                               std::size_t in_other) {
    MetricComparison out;
    std::vector<ValuePair> pairs;
    for (const auto& [before, after] : rows) {
        const Figure& a = before->figures[in_baseline];
        const Figure& b = after->figures[in_other];
        const auto a_value = compared_value(a);
        const auto b_value = compared_value(b);
        if (a_value && b_value) {
            pairs.push_back({*a_value, *b_value});
            count(a, out.baseline);
            count(b, out.other);
        }
    }
    if (pairs.empty()) {
        return std::nullopt;
    }
    out.difference = paired_difference(pairs);
    out.baseline.never_started /= static_cast<double>(pairs.size());
    out.other.never_started /= static_cast<double>(pairs.size());
    return out;
}

/// Whether the side with the lower value may have it only because some jobs are not counted.
bool lower_is_doubtful(const MetricComparison& metric) {
    constexpr double share = 0.01;
    const bool other_is_lower = metric.difference.mean < 0;
    const Censoring& lower = other_is_lower ? metric.other : metric.baseline;
    const Censoring& higher = other_is_lower ? metric.baseline : metric.other;
    return lower.not_reached > 0 || lower.never_started > higher.never_started + share;
}

Verdict verdict_of(const MetricComparison& metric) {
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
    if (metric.direction == Direction::unknown) {
        return higher ? Verdict::higher : Verdict::lower;
    }
    return higher == (metric.direction == Direction::higher) ? Verdict::better : Verdict::worse;
}

/// Corrects the p-values of each family separately, and then sets the verdicts.
void judge(std::vector<MetricComparison>& metrics, const std::vector<std::string>& headline) {
    for (const bool in_headline : {true, false}) {
        std::vector<double> p;
        std::vector<MetricComparison*> tested;
        for (MetricComparison& metric : metrics) {
            const bool is_headline = std::ranges::find(headline, metric.metric) != headline.end();
            if (metric.difference.p && is_headline == in_headline) {
                p.push_back(*metric.difference.p);
                tested.push_back(&metric);
            }
        }
        const std::vector<double> adjusted = holm_adjusted(p);
        for (std::size_t i = 0; i < tested.size(); ++i) {
            tested[i]->p_holm = adjusted[i];
        }
    }
    for (MetricComparison& metric : metrics) {
        metric.verdict = verdict_of(metric);
    }
}

/// The part of a metric's summary by which the headline is chosen.
MetricSummary summary_of(const ReplicationTable& table, std::size_t metric) {
    MetricSummary out;
    out.name = table.metrics[metric];
    double sum = 0;
    for (const auto& [seed, row] : table.by_seed) {
        const Figure& figure = row.figures[metric];
        if (figure.at_least) {
            out.at_least = std::max(out.at_least.value_or(0), *figure.at_least);
        }
        if (figure.value) {
            sum += *figure.value;
            ++out.count;
            out.max = std::max(out.max.value_or(*figure.value), *figure.value);
        }
    }
    if (out.count > 0) {
        out.mean = sum / static_cast<double>(out.count);
    }
    return out;
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

bool is_real(Verdict verdict) {
    return verdict <= Verdict::lower;
}

std::vector<std::string> headline_metrics(const ReplicationTable& table) {
    std::vector<MetricSummary> summaries;
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
        summaries.push_back(summary_of(table, i));
    }
    std::vector<std::string> out;
    for (HeadlineNumber& number : headline(summaries)) {
        out.push_back(std::move(number.metric));
    }
    return out;
}

std::vector<MetricComparison> compare_tables(const ReplicationTable& baseline,
                                             const ReplicationTable& other,
                                             const Alike& alike,
                                             std::vector<std::string>* one_sided) {
    std::vector<RowPair> rows = common_rows(baseline, other);
    if (are_repeats(rows)) {
        rows.resize(1);
    }
    std::map<std::string_view, std::size_t> column_of;
    for (std::size_t i = 0; i < other.metrics.size(); ++i) {
        column_of[other.metrics[i]] = i;
    }
    std::vector<MetricComparison> out;
    for (std::size_t i = 0; i < baseline.metrics.size(); ++i) {
        const std::string& name = baseline.metrics[i];
        const auto at = column_of.find(name);
        if (at == column_of.end()) {
            if (one_sided != nullptr) {
                one_sided->push_back(name);
            }
            continue;
        }
        if (auto compared = compare_metric(rows, i, at->second)) {
            compared->metric = name;
            const bool sided = alike.work && (alike.cluster || !is_share_of_cluster(name));
            compared->direction = sided ? direction_of(name) : Direction::unknown;
            out.push_back(std::move(*compared));
        }
    }
    judge(out, headline_metrics(baseline));
    if (one_sided != nullptr) {
        const std::set<std::string_view> known(baseline.metrics.begin(), baseline.metrics.end());
        std::ranges::copy_if(other.metrics,
                             std::back_inserter(*one_sided),
                             [&](const std::string& name) { return !known.contains(name); });
    }
    return out;
}

}  // namespace berth::report
