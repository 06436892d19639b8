#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/paired_difference.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/tables/metric_table.hpp"

namespace berth::report {

/// The verdict on a metric at a significance level of 5 % for its family.
enum class Verdict : std::uint8_t {
    better,
    worse,
    higher,  ///< A difference in a metric that has no better direction.
    lower,
    no_difference_shown,
    equal,  ///< The values are equal in every pair.
    /// There are fewer than two pairs, too few for a test. The difference is shown without a
    /// verdict.
    too_few_pairs,
    /// The run that looks better may do so because fewer of its jobs started, or because a
    /// percentile was not reached and only a lower bound is known.
    not_comparable,
};
[[nodiscard]] std::string_view to_string(Verdict verdict);
/// Whether the difference is statistically significant.
[[nodiscard]] bool is_real(Verdict verdict);

/// How many of the values on one side of a comparison are only lower bounds.
struct Censoring {
    std::size_t bounds = 0;  ///< The pairs in which this side's value includes what had not ended.
    std::size_t not_reached = 0;  ///< The pairs in which this side has only a bound.
    double never_started = 0;     ///< The mean share over the pairs.
};

/// One metric, in the baseline and in another run.
struct MetricComparison {
    std::string metric;
    Direction direction = Direction::unknown;
    PairedDifference difference;
    Censoring baseline;
    Censoring other;
    std::optional<double> p_holm;  ///< Set if there is a p-value.
    Verdict verdict = Verdict::too_few_pairs;
};

/// Whether two runs were given the same. If the work differs, no metric is better or worse. If the
/// cluster differs, no share of it is.
struct Alike {
    bool work = true;
    bool cluster = true;
};

/// The metrics of a run's headline numbers, which are one family for Holm's correction.
[[nodiscard]] std::vector<std::string> headline_metrics(const ReplicationTable& table);

/// Compares every metric that both tables have, in the order of the baseline, in replications
/// paired by seed. `one_sided` gets the metrics that only one table has.
///
/// All verdicts come from here: berth compare, a page of runs and a page of a sweep say the same
/// about the same two runs. Holm's correction has two families for each pair of runs: the headline
/// numbers of the baseline, and all other metrics (docs/decisions/0080).
[[nodiscard]] std::vector<MetricComparison> compare_tables(
    const ReplicationTable& baseline,
    const ReplicationTable& other,
    const Alike& alike,
    std::vector<std::string>* one_sided = nullptr);

}  // namespace berth::report
