#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/experiment_spec.hpp"
#include "sim/metrics.hpp"

namespace berth::experiments {

/// A metric over replications. Replications without a value do not count.
struct Statistics {
    double mean = 0;
    double sd = 0;    ///< Of the sample, n - 1 in the denominator.
    std::optional<double> ci95;  ///< Half-width, Student's t; nothing for fewer than two values.
    double min = 0;
    double max = 0;
    std::size_t n = 0;
};
[[nodiscard]] Statistics statistics_of(const std::vector<double>& values);

/// What came of a claim.
struct ClaimResult {
    std::string text;
    std::string expected;
    std::string measured;
    bool holds = false;
};

/// Everything that replications yielded, in their order.
struct Results {
    std::vector<std::vector<sim::Metric>> replications;
    std::map<std::string, core::LogicalTree> placements;  ///< Of replication 0, by group.
    std::string first_group;
    std::vector<std::string> warnings;  ///< About the experiment and its results.
};

[[nodiscard]] std::vector<ClaimResult> check_claims(const ExperimentSpec& spec,
                                                    const Results& results);
/// The same of `expect`; the text of each is its metric.
[[nodiscard]] std::vector<ClaimResult> check_expectations(const ExperimentSpec& spec,
                                                          const Results& results);
/// Errors: core::InputError at an expectation about a metric that the run does not have.
void check_expected_metrics(const ExperimentSpec& spec, const std::vector<sim::Metric>& metrics);
/// `5368.7 s to 86400 s (mser-5)`; empty without a window.
[[nodiscard]] std::string window_text(const ExperimentSpec& spec);
[[nodiscard]] std::string summary_json(const ExperimentSpec& spec,
                                       const Results& results,
                                       const std::vector<ClaimResult>& claims,
                                       const std::vector<ClaimResult>& expectations);
[[nodiscard]] std::string replications_csv(const ExperimentSpec& spec, const Results& results);

}  // namespace berth::experiments
