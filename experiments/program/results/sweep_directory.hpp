#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/program/results/replication_table.hpp"

namespace berth::report {

/// What a run is called: the name of its folder; of a point of a sweep, whose folder has a digest
/// for its name, its values: `load=0.9, policy=pack`.
/// Errors: core::InputError when the sweep's points.csv is malformed.
[[nodiscard]] std::string run_name(const std::filesystem::path& run);

/// What a sweep varies. Values stand in ascending order if all are numbers, durations or amounts,
/// otherwise in the order of their first appearance.
struct SweepAxis {
    std::string name;
    std::vector<std::string> values;  ///< As points.csv writes them, each once.
    /// The same as numbers, durations in seconds; empty when some value is none.
    std::vector<double> numbers;
    /// What each value sets of the work, and of the cluster, as texts to compare; empty where the
    /// axis sets nothing of it.
    std::vector<std::string> work{};
    std::vector<std::string> cluster{};

    [[nodiscard]] bool numeric() const { return !numbers.empty(); }
    [[nodiscard]] bool varies() const { return values.size() > 1; }
    /// Whether values differ in the work that comes: then they are given, and none is the best.
    [[nodiscard]] bool is_given() const;
    [[nodiscard]] bool changes_cluster() const;
};

/// A metric at every point and in every replication.
struct SweepMetric {
    std::string name;
    /// By point, then by replication; NaN where there is none, and at a whole point if it was not
    /// reached in some replication.
    std::vector<double> values;
};

/// What the report and the plots need of a sweep's folder: its tables, and of the points' folders
/// the warnings alone.
struct SweepDirectory {
    /// A figure that `metrics` do not tell whole: it has a bound, or was left out.
    struct Exception {
        std::size_t replication = 0;  ///< By its place.
        std::size_t metric = 0;
        ReplicationTable::Figure figure{};
    };
    std::string directory;  ///< The directory's own name.
    std::string name;       ///< metadata.name of sweep.yaml, or else the directory's.
    std::vector<SweepAxis> axes;
    std::vector<std::vector<std::size_t>> points;  ///< By point and axis: a place among its values.
    std::vector<std::string> keys;                 ///< By point: the name of its folder.
    std::vector<bool> finished;                    ///< By point: it has rows in results.csv.
    std::vector<std::int64_t> replications;        ///< Ascending.
    std::vector<std::string> seeds;  ///< By replication; empty when points differ in them.
    std::vector<SweepMetric> metrics;
    std::map<std::size_t, std::vector<Exception>> exceptions;  ///< By point: of censored.csv.
    std::vector<std::string> warnings;  ///< What points warn of about their means.
    std::string configuration;          ///< sweep.yaml as it is.
};

/// Whether a directory is a sweep's rather than a run's: it has a sweep.yaml or a points.csv.
[[nodiscard]] bool is_sweep_directory(const std::filesystem::path& path);

/// Reads sweep.yaml, points.csv, results.csv and censored.csv, and the points' warnings.
///
/// Errors: core::InputError when `path` is no sweep directory, a table is missing, malformed or
///         does not fit to the other; std::system_error when a file cannot be read.
/// Cost:   eight bytes a point, replication and metric, twice while reading; a file a point.
[[nodiscard]] SweepDirectory read_sweep_directory(const std::filesystem::path& path);

}  // namespace berth::report
