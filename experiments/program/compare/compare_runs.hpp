#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/compare/differing_inputs.hpp"
#include "experiments/program/compare/fates.hpp"
#include "experiments/program/compare/outage_pairs.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/results/verdict.hpp"

namespace berth::experiments {

/// A run beside the baseline.
struct RunComparison {
    std::string label;
    DifferingInputs inputs;  ///< Where its work differs, no metric is called better or worse.
    std::size_t pairs = 0;   ///< Replications with one seed in both.
    std::size_t baseline_left_out = 0;  ///< Replications whose seed the other run lacks.
    std::size_t other_left_out = 0;
    std::vector<std::string> one_sided;             ///< Metrics of one run alone.
    std::vector<report::MetricComparison> metrics;  ///< In the order of the baseline.
    FateComparisons fates;
    std::optional<OutageComparison> outages;  ///< Where something may fail in both.

    /// Whether there are pods or groups in both, or no files that would tell.
    [[nodiscard]] bool has_common_work() const;
};

struct Comparison {
    std::string baseline;
    std::size_t tests = 0;              ///< Each corrected within its family.
    std::vector<std::string> headline;  ///< Of the baseline: one of the families.
    std::vector<RunComparison> runs;
};

struct CompareOptions {
    std::vector<std::string> metrics;  ///< Those to show, judged as among all; none: all.
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
