#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/program/results/replication_table.hpp"

namespace berth::report {

/// The display name of a run: the name of its folder. The folder of a point of a sweep is named by
/// a digest, so the point's values are used: `load=0.9, policy=pack`.
/// Errors: core::InputError if the sweep's points.csv is malformed.
[[nodiscard]] std::string run_name(const std::filesystem::path& run);

/// An axis of a sweep. If all values are numbers, durations or amounts, they are in ascending
/// order; otherwise in the order of their first appearance.
struct SweepAxis {
    std::string name;
    std::vector<std::string> values;  ///< The values as points.csv writes them, without duplicates.
    /// The values as numbers, durations in seconds; empty if some value is not a number.
    std::vector<double> numbers;
    /// What each value sets of the work and of the cluster, as texts to compare; empty if the axis
    /// sets nothing of that kind.
    std::vector<std::string> work{};
    std::vector<std::string> cluster{};

    [[nodiscard]] bool numeric() const { return !numbers.empty(); }
    [[nodiscard]] bool varies() const { return values.size() > 1; }
    /// Whether values differ in the work that arrives. Such values are given, and none of them is
    /// the best.
    [[nodiscard]] bool is_given() const;
    [[nodiscard]] bool changes_cluster() const;
};

/// A metric at every point and in every replication.
struct SweepMetric {
    std::string name;
    /// The values by point, then by replication. NaN where there is none, and at all replications
    /// of a point if some of them did not reach the metric.
    std::vector<double> values;
};

/// The data of a sweep's folder for the report and the plots: its tables and, from the folders of
/// its points, only the warnings.
struct SweepDirectory {
    /// A figure that `metrics` does not hold completely: it has a bound, or was left out.
    struct Exception {
        std::size_t replication = 0;  ///< The index in `replications`.
        std::size_t metric = 0;
        ReplicationTable::Figure figure{};
    };
    std::string directory;  ///< The name of the directory.
    std::string name;       ///< metadata.name of sweep.yaml, or else the directory's name.
    std::vector<SweepAxis> axes;
    /// The index of a point's value, by point and axis.
    std::vector<std::vector<std::size_t>> points;
    std::vector<std::string> keys;  ///< The name of each point's folder, by point.
    std::vector<bool> finished;     ///< Whether results.csv has rows of the point, by point.
    std::vector<std::int64_t> replications;  ///< The numbers of the replications, ascending.
    /// The seed of each replication; empty if points differ in them.
    std::vector<std::string> seeds;
    std::vector<SweepMetric> metrics;
    /// Figures from censored.csv, by point.
    std::map<std::size_t, std::vector<Exception>> exceptions;
    std::vector<std::string> warnings;  ///< The points' warnings about their means.
    std::string configuration;          ///< The text of sweep.yaml.
};

/// Whether a directory belongs to a sweep rather than to a run: it has a sweep.yaml or a
/// points.csv.
[[nodiscard]] bool is_sweep_directory(const std::filesystem::path& path);

/// Reads sweep.yaml, points.csv, results.csv and censored.csv, and the points' warnings.
///
/// Errors: core::InputError if `path` is not a sweep directory, or a table is missing, malformed or
///         does not fit the other; std::system_error if a file cannot be read.
/// Cost:   eight bytes per point, replication and metric, twice that while reading; reads a file
///       per point.
[[nodiscard]] SweepDirectory read_sweep_directory(const std::filesystem::path& path);

}  // namespace berth::report
