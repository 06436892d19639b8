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

/// The comparison of one run with the baseline.
struct RunComparison {
    std::string label;
    DifferingInputs inputs;  ///< If these differ in the work, no metric is called better or worse.
    std::size_t pairs = 0;   ///< The number of replications with the same seed in both runs.
    bool pairs_repeat = false;  ///< Whether all pairs are the same, so that they count as one.
    /// The number of replications whose seed the other run lacks.
    std::size_t baseline_left_out = 0;
    std::size_t other_left_out = 0;
    std::vector<std::string> one_sided;             ///< Metrics that only one of the runs has.
    std::vector<report::MetricComparison> metrics;  ///< The metrics, in the order of the baseline.
    FateComparisons fates;
    std::optional<OutageComparison> outages;  ///< Set if something may fail in both runs.

    /// Whether both runs have common pods or groups, or have no files that would show them.
    [[nodiscard]] bool has_common_work() const;
};

struct Comparison {
    std::string baseline;
    std::size_t tests = 0;  ///< The number of tests, each corrected within its family.
    /// The headline metrics of the baseline, which are one of the families.
    std::vector<std::string> headline;
    std::vector<RunComparison> runs;
};

struct CompareOptions {
    /// The metrics to show, with verdicts as among all metrics; empty: all.
    std::vector<std::string> metrics;
    std::size_t fates_max = 10;  ///< The number of pods, and of groups, to name.
    bool fates = true;           ///< Whether to compare pods and groups at all.
};

/// Compares each run with the first one, with replications paired by seed.
/// Shape:  at least two runs. The comparison of a run without a common seed has no pairs and
///        nothing else.
/// Errors: core::InputError if a folder is not a run directory, a file in it is malformed, or a
///         wanted metric is in neither run.
[[nodiscard]] Comparison compare_runs(const std::vector<RunArgument>& runs,
                                      const CompareOptions& options);

/// Errors: core::InputError for a run that has no seed or no pod in common with the first one.
void check_comparable(const Comparison& comparison);

}  // namespace berth::experiments
