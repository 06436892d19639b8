#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/claim.hpp"
#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/devices.hpp"
#include "experiments/program/results/failures.hpp"
#include "experiments/program/results/queues.hpp"
#include "experiments/program/results/quotas.hpp"

namespace berth::report {

/// One row of summary.json's metrics. A value that the file leaves out is not there.
struct MetricSummary {
    std::string name;
    std::optional<double> mean;  ///< Nothing for a percentile that was not reached.
    std::optional<double> sd;
    std::optional<double> ci95;  ///< Half of the width of the 95% confidence interval.
    std::optional<double> min;
    std::optional<double> max;
    /// What it is at least, with what had not ended; the only figure where there is no mean.
    std::optional<double> at_least;
    std::optional<double> never_started;  ///< A share of those that the metric is about.
    std::int64_t count = 0;
};

/// All values seen under one name: one a replication, a group or a pod.
struct Samples {
    std::string name;
    std::vector<double> values;
    /// What those that had not ended when their replication did are at least.
    std::vector<double> going_on = {};
    std::size_t never = 0;          ///< Those that will never have a value: they were dropped.
    std::size_t never_started = 0;  ///< Of those that go on or will never have a value.

    /// The share that never started, of all that the name is about.
    [[nodiscard]] double never_started_share() const {
        const std::size_t all = values.size() + going_on.size() + never;
        return all == 0 ? 0 : static_cast<double>(never_started) / static_cast<double>(all);
    }
};

/// The sampled metrics of one replication: values[c][i] belongs to columns[c] at time_s[i] and is
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

/// One group of replication 0, as a row to show: cells by GroupTable::columns.
struct GroupTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::size_t left_out = 0;  ///< Groups of replication 0 beyond the rows that are kept.
};

/// How the pods ended and why the others did not, over all replications.
struct PodOutcomes {
    std::map<std::string, std::int64_t> outcomes;
    std::map<std::string, std::int64_t> reasons;  ///< Whole messages of pods that have one.
};

/// What an experiment.yaml asks, in words. Each is empty where the text does not tell it.
struct Setup {
    std::string workload;  ///< `groups of 64, one every 5m on average`.
    std::string policy;    ///< `placed by best-fit, in the order fifo`.
    /// The levels that hard constraints of the workload name, in the order of their first mention.
    std::vector<std::string> hard_levels = {};
};

/// The part of the simulated time that a run's metrics are of.
struct MeasuringWindow {
    double from_s = 0;
    double to_s = 0;   ///< Infinite where the run's end is meant.
    std::string rule;  ///< `fixed`, or the rule that found the beginning.
};

/// What the report and the plots need of a run directory, already reduced to what is shown.
struct RunDirectory {
    std::string directory;   ///< The directory's own name; of a point of a sweep its values.
    std::string experiment;  ///< The experiment's name.
    std::int64_t replications = 0;
    std::vector<std::string> warnings;  ///< What summary.json warns of.
    std::optional<MeasuringWindow> window;
    std::string
        interval_method;  ///< `replications`, `batch-means`, ...; empty where it is not said.
    Setup setup;
    /// What jobs of a kind have in common, by what stands in brackets behind their metrics.
    std::map<std::string, std::string, std::less<>> job_traits;
    std::vector<ClaimResult> claims;
    std::vector<MetricSummary> metrics;
    std::vector<MetricSummary>
        quota_metrics;  ///< Those named `quota/NAME/FIGURE`, maybe thousands.
    std::vector<Samples> replication_samples;  ///< One column of replications.csv each.
    std::vector<Samples> quota_samples;        ///< Its columns named `quota/NAME/FIGURE`.
    std::vector<Samples> group_samples;        ///< One numeric column of groups.csv each.
    std::vector<Samples> pod_samples;          ///< wait_s, jct_s and slowdown of pods.csv.
    TimeSeries series;
    TimeSeries course;  ///< Waiting pods and use over time, as the times of the pods tell them.
    GroupTable groups;
    PodOutcomes pods;
    std::optional<Cluster> cluster;
    std::optional<Quotas> quotas;
    std::optional<Queues> queues;
    std::optional<Devices> devices;
    std::optional<Failures> failures;
    std::string configuration;  ///< experiment.yaml as it is.
    std::vector<std::pair<std::string, std::string>>
        origin;  ///< From manifest.json: version, seed.
    std::vector<std::pair<std::string, std::string>> machine;  ///< From run.json: what it took.
};

/// `quota/NAME/FIGURE`, as metrics of one quota are called.
[[nodiscard]] bool is_of_quota(std::string_view metric);

/// The metrics of a run's summary.json, those of single quotas left out.
/// Errors: core::InputError when there is none, or it is malformed.
[[nodiscard]] std::vector<MetricSummary> read_metrics(const std::filesystem::path& run);

/// Reads a run directory; of its files only summary.json must be there.
///
/// Errors: core::InputError when `path` is no run directory or a file in it is malformed, with the
///         file and the line; std::system_error when a file cannot be read.
/// Cost:   O(rows) time. Of pods.csv it keeps three numbers a pod, and the placements of
///         replication 0.
[[nodiscard]] RunDirectory read_run_directory(const std::filesystem::path& path);

}  // namespace berth::report
