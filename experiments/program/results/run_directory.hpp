#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/claim.hpp"
#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/devices.hpp"
#include "experiments/program/results/failures.hpp"
#include "experiments/program/results/quotas.hpp"
#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

/// A metric in summary.json. A value that the file leaves out is empty.
struct MetricSummary {
    std::string name;
    std::optional<double> mean;  ///< Empty for a percentile that was not reached.
    std::optional<double> sd;
    std::optional<double> ci95;  ///< Half the width of the 95% confidence interval.
    std::optional<double> min;
    std::optional<double> max;
    /// A lower bound of the metric that includes what had not ended; the only figure if there is no
    /// mean.
    std::optional<double> at_least;
    /// The share that never started, of all that the metric is about.
    std::optional<double> never_started;
    std::int64_t count = 0;
};

/// All values with one name: one for each replication, group or pod.
struct Samples {
    std::string name;
    std::vector<double> values;
    /// Lower bounds for jobs or pods that had not ended when their replication did.
    std::vector<double> going_on = {};
    std::size_t never = 0;  ///< The number that will never have a value, because they were dropped.
    /// The number that never started, among those that go on or will never have a value.
    std::size_t never_started = 0;

    /// The share that never started, of all that the name is about.
    [[nodiscard]] double never_started_share() const {
        const std::size_t all = values.size() + going_on.size() + never;
        return all == 0 ? 0 : static_cast<double>(never_started) / static_cast<double>(all);
    }
};

/// The sampled metrics of one replication: values[c][i] belongs to columns[c] at time_s[i], and is
/// NaN where the file has an empty cell.
struct ReplicationSeries {
    std::int64_t replication = 0;
    std::vector<double> time_s;
    std::vector<std::vector<double>> values;
};

struct TimeSeries {
    std::vector<std::string> columns;
    std::vector<ReplicationSeries> replications;
};

/// The groups of replication 0 as rows to show. The cells of a row are in the order of `columns`.
struct GroupTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    /// The number of groups of replication 0 beyond the rows that are kept.
    std::size_t left_out = 0;
};

/// How the pods ended and, where they did not, why, over all replications.
struct PodOutcomes {
    std::map<std::string, std::int64_t> outcomes;
    /// Counts by whole message, for pods with a reason.
    std::map<std::string, std::int64_t> reasons;
};

/// The question of an experiment.yaml, in words. A part that the text does not state is empty.
struct Setup {
    std::string workload;  ///< Such as `groups of 64, one every 5m on average`.
    std::string policy;    ///< Such as `placed by best-fit, in the order fifo`.
    /// The levels that the workload's hard constraints name, in the order of their first mention.
    std::vector<std::string> hard_levels = {};
};

/// The part of the simulated time that a run's metrics cover.
struct MeasuringWindow {
    double from_s = 0;
    double to_s = 0;   ///< Infinite if it is the end of the run.
    std::string rule;  ///< `fixed`, or the rule that found the beginning.
};

/// The data of a run directory for the report and the plots, already reduced to what is shown.
struct RunDirectory {
    std::string directory;   ///< The name of the directory or, for a point of a sweep, its values.
    std::string experiment;  ///< The experiment's name.
    std::int64_t replications = 0;
    std::vector<std::string> warnings;  ///< The warnings in summary.json.
    std::optional<MeasuringWindow> window;
    std::string
        interval_method;  ///< Such as `replications` or `batch-means`; empty if it is not stated.
    Setup setup;
    /// What each name in brackets behind metrics of jobs stands for, as read_job_traits() returns
    /// it.
    std::map<std::string, std::string, std::less<>> job_traits;
    std::vector<ClaimResult> claims;
    std::vector<MetricSummary> metrics;
    std::vector<MetricSummary>
        quota_metrics;  ///< Metrics named `quota/NAME/FIGURE`, possibly thousands of them.
    std::vector<Samples> replication_samples;  ///< One for each column of replications.csv.
    std::vector<Samples> quota_samples;  ///< Columns of replications.csv named `quota/NAME/FIGURE`.
    std::vector<Samples> group_samples;  ///< One for each numeric column of groups.csv.
    std::vector<Samples> pod_samples;    ///< The columns wait_s, jct_s and slowdown of pods.csv.
    TimeSeries series;
    TimeSeries course;  ///< Waiting pods and use over time, computed from the times of the pods.
    GroupTable groups;
    PodOutcomes pods;
    std::optional<Cluster> cluster;
    std::optional<Quotas> quotas;
    std::vector<std::shared_ptr<const SchedulerResults>> of_schedulers;
    std::optional<Devices> devices;
    std::optional<Failures> failures;
    std::string configuration;  ///< The text of experiment.yaml.
    std::vector<std::pair<std::string, std::string>>
        origin;  ///< Facts from manifest.json, such as version and seed.
    /// Facts from run.json about what the run took.
    std::vector<std::pair<std::string, std::string>> machine;
};

/// Whether a metric has the name `quota/NAME/FIGURE`, that of a single quota.
[[nodiscard]] bool is_of_quota(std::string_view metric);

/// The metrics in a run's summary.json, without those of single quotas.
/// Errors: core::InputError if the file is missing or malformed.
[[nodiscard]] std::vector<MetricSummary> read_metrics(const std::filesystem::path& run);

/// Reads a run directory. Only summary.json must exist.
///
/// Errors: core::InputError with the file and the line if `path` is not a run directory or a file
///         in it is malformed; std::system_error if a file cannot be read.
/// Cost:   O(rows) time. Of pods.csv, three numbers per pod are kept, and the placements of
///       replication 0.
[[nodiscard]] RunDirectory read_run_directory(const std::filesystem::path& path);

}  // namespace berth::report
