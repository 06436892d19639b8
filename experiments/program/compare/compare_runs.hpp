#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/compare/differing_inputs.hpp"
#include "experiments/program/compare/fates.hpp"
#include "experiments/program/compare/outage_pairs.hpp"
#include "experiments/program/compare/paired_difference.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/results/tables/metric_table.hpp"

namespace berth::experiments {

/// What is said of a metric at the level of 5 % of the whole family.
enum class Verdict : std::uint8_t {
    better,
    worse,
    higher,  ///< A difference of a metric that has no better side.
    lower,
    no_difference_shown,
    equal,          ///< In every pair.
    too_few_pairs,  ///< For a test: fewer than two.
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
    report::Direction direction = report::Direction::unknown;
    PairedDifference difference;
    Censoring baseline;
    Censoring other;
    std::optional<double> p_holm;  ///< Where there is a p.
    Verdict verdict = Verdict::too_few_pairs;
};

/// A run beside the baseline.
struct RunComparison {
    std::string label;
    DifferingInputs inputs;  ///< Where its work differs, no metric is called better or worse.
    std::size_t pairs = 0;   ///< Replications with one seed in both.
    std::size_t baseline_left_out = 0;  ///< Replications whose seed the other run lacks.
    std::size_t other_left_out = 0;
    std::vector<std::string> one_sided;     ///< Metrics of one run alone.
    std::vector<MetricComparison> metrics;  ///< In the order of the baseline.
    FateComparisons fates;
    std::optional<OutageComparison> outages;  ///< Where something may fail in both.

    /// Whether there are pods or groups in both, or no files that would tell.
    [[nodiscard]] bool has_common_work() const;
};

struct Comparison {
    std::string baseline;
    std::size_t tests = 0;  ///< The family that Holm's correction is for.
    std::vector<RunComparison> runs;
};

struct CompareOptions {
    std::vector<std::string> metrics;  ///< Those to compare; none: all.
    std::size_t fates_max = 10;        ///< Pods, and groups, to name.
    bool fates = true;                 ///< Look at pods and groups at all.
};

/// Compares each run with the first, replications paired by seed.
/// Shape:  at least two runs. A run without a common seed has no pairs and nothing else.
/// Errors: core::InputError when a folder is no run directory, a file in it is malformed, or a
///         wanted metric is in neither run.
[[nodiscard]] Comparison compare_runs(const std::vector<RunArgument>& runs,
                                      const CompareOptions& options);

/// Errors: core::InputError for a run that has no seed, or no pod, in common with the first.
void check_comparable(const Comparison& comparison);

}  // namespace berth::experiments
