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

/// What is said of a metric at the level of 5 % of its family.
enum class Verdict : std::uint8_t {
    better,
    worse,
    higher,  ///< A difference of a metric that has no better side.
    lower,
    no_difference_shown,
    equal,          ///< In every pair.
    too_few_pairs,  ///< For a test: fewer than two. The difference is shown without a verdict.
    /// The run that looks better may do so because fewer of its jobs started, or because a
    /// percentile was not reached and only its least value is known.
    not_comparable,
};
[[nodiscard]] std::string_view to_string(Verdict verdict);
/// Whether there is a difference beyond chance.
[[nodiscard]] bool is_real(Verdict verdict);

/// How much of one side of a comparison is known only as what it is at least.
struct Censoring {
    std::size_t bounds = 0;       ///< Pairs in which this side's value counts what had not ended.
    std::size_t not_reached = 0;  ///< Pairs in which there is no other value.
    double never_started = 0;     ///< The mean share over the pairs.
};

/// One metric, in the baseline and in another run.
struct MetricComparison {
    std::string metric;
    Direction direction = Direction::unknown;
    PairedDifference difference;
    Censoring baseline;
    Censoring other;
    std::optional<double> p_holm;  ///< Where there is a p.
    Verdict verdict = Verdict::too_few_pairs;
};

/// What two runs were given alike. With other work no metric is better or worse, and on another
/// cluster no share of it.
struct Alike {
    bool work = true;
    bool cluster = true;
};

/// The metrics of a run's headline numbers, one family for Holm's correction.
[[nodiscard]] std::vector<std::string> headline_metrics(const ReplicationTable& table);

/// Every metric that both tables have, in the order of the baseline, in replications paired by
/// seed; `one_sided` gets those of one table alone.
///
/// This is the one place where a verdict comes from: berth compare, a page of runs and a page of a
/// sweep say the same of the same two runs. Holm's correction has two families in each such pair:
/// the headline numbers of the baseline, and all other metrics (docs/decisions/0080).
[[nodiscard]] std::vector<MetricComparison> compare_tables(
    const ReplicationTable& baseline,
    const ReplicationTable& other,
    const Alike& alike,
    std::vector<std::string>* one_sided = nullptr);

}  // namespace berth::report
