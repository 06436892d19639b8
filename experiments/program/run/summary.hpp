#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/results/claim.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// A metric over replications. Replications without a value do not count.
struct Statistics {
    double mean = 0;
    double sd = 0;               ///< Of the sample, n - 1 in the denominator.
    std::optional<double> ci95;  ///< Half-width, Student's t; nothing for fewer than two values.
    double min = 0;
    double max = 0;
    std::size_t n = 0;
};
[[nodiscard]] Statistics statistics_of(const std::vector<double>& values);

/// A metric of a run: its statistics, and what censored values leave open.
struct MetricSummary {
    /// Over the replications that have a value; those of a metric that was not reached are unknown.
    Statistics statistics;
    std::size_t n = 0;  ///< Replications that have a value, or know what it is at least.
    /// Whether all of those have a value: otherwise so many still waited in one of them that its
    /// percentile is longer than anything that ended.
    bool reached = true;
    /// The mean over replications of what the metric is at least, where that is not its value.
    std::optional<double> at_least;
    std::optional<double> never_started;  ///< The mean over replications.
};
/// Everything that replications yielded, in their order.
struct Results {
    std::vector<std::vector<sim::Metric>> replications;
    std::map<std::string, core::LogicalTree> placements;  ///< Of replication 0, by group.
    std::string first_group;
    std::vector<std::string> warnings;  ///< About the experiment and its results.
    std::vector<std::string> notes;     ///< What single metrics leave out, or are too short for.
    std::vector<int>
        short_percentiles;  ///< Those of waits that the replications are too short for.
};

/// Shape: `metric` counts in the order of the replications' metrics.
[[nodiscard]] MetricSummary summary_of(const Results& results, std::size_t metric);

/// What came of the claims, in their order.
[[nodiscard]] std::vector<report::ClaimResult> check_claims(const ExperimentSpec& spec,
                                                            const Results& results);
/// The same of `expect`; the text of each is its metric.
[[nodiscard]] std::vector<report::ClaimResult> check_expectations(const ExperimentSpec& spec,
                                                                  const Results& results);
/// `5368.7 s to 86400 s (mser-5)`; empty without a window.
[[nodiscard]] std::string window_text(const ExperimentSpec& spec);
[[nodiscard]] std::string summary_json(const ExperimentSpec& spec,
                                       const Results& results,
                                       const std::vector<report::ClaimResult>& claims,
                                       const std::vector<report::ClaimResult>& expectations);
[[nodiscard]] std::string replications_csv(const ExperimentSpec& spec, const Results& results);
/// censored.csv: what replications.csv cannot say of metrics of those that wait or never started.
[[nodiscard]] std::string censored_csv(const Results& results);

}  // namespace berth::experiments
