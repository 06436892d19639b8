#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/results/claim.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// The statistics of a metric over replications. Replications without a value do not count.
struct Statistics {
    double mean = 0;
    double sd = 0;  ///< The sample standard deviation, with n - 1 in the denominator.
    /// The half-width of the 95 % interval by Student's t; nothing for fewer than two values.
    std::optional<double> ci95;
    double min = 0;
    double max = 0;
    std::size_t n = 0;
};
[[nodiscard]] Statistics statistics_of(const std::vector<double>& values);

/// A metric of a run: its statistics, and how censored values limit them.
struct MetricSummary {
    /// The statistics of the replications that have a value. They are unknown if the metric was not
    /// reached.
    Statistics statistics;
    std::size_t n = 0;  ///< The number of replications that have a value or a lower bound.
    /// Whether all of those have a value. Otherwise, in one of them so many jobs or pods still
    /// waited that the percentile is longer than any wait that ended.
    bool reached = true;
    /// The mean of the lower bounds over the replications, if it differs from the value.
    std::optional<double> at_least;
    std::optional<double> never_started;  ///< The mean share over the replications.
};
/// The results of all replications, in their order.
struct Results {
    std::vector<std::vector<sim::Metric>> replications;
    /// The placements in replication 0, by group.
    std::map<std::string, core::LogicalTree> placements;
    std::string first_group;
    std::vector<std::string> warnings;  ///< Warnings about the experiment and its results.
    std::vector<std::string> notes;     ///< Notes on metrics that leave something out.
    std::vector<int>
        short_percentiles;  ///< The percentiles of waits for which the replications are too short.
};

/// Summarizes one metric.
/// Shape: `metric` is an index into the metrics of each replication.
[[nodiscard]] MetricSummary summary_of(const Results& results, std::size_t metric);

/// The results of the claims, in their order.
[[nodiscard]] std::vector<report::ClaimResult> check_claims(const ExperimentSpec& spec,
                                                            const Results& results);
/// The results of the expectations in `expect`; the text of each is its metric.
[[nodiscard]] std::vector<report::ClaimResult> check_expectations(const ExperimentSpec& spec,
                                                                  const Results& results);
/// The window in words, such as `5368.7 s to 86400 s (mser-5)`; empty without a window.
[[nodiscard]] std::string window_text(const ExperimentSpec& spec);
[[nodiscard]] std::string summary_json(const ExperimentSpec& spec,
                                       const Results& results,
                                       const std::vector<report::ClaimResult>& claims,
                                       const std::vector<report::ClaimResult>& expectations);
[[nodiscard]] std::string replications_csv(const ExperimentSpec& spec, const Results& results);
/// The text of censored.csv: for metrics of jobs or pods that still wait or never started, what
/// replications.csv cannot state.
[[nodiscard]] std::string censored_csv(const Results& results);

}  // namespace berth::experiments
