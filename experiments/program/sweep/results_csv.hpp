#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/points.hpp"

namespace berth::experiments {

/// A row of a sweep directory's points.csv.
struct TablePoint {
    std::string number;
    std::vector<std::string> values;  ///< The values of the axes, as written in the table.
    std::filesystem::path directory;  ///< Does not exist while the point is not finished.
};

/// points.csv: every point of a sweep, finished or not, in order.
struct PointsTable {
    std::vector<std::string> axes;
    std::vector<TablePoint> points;
};

/// Whether the folder is that of a sweep.
[[nodiscard]] bool is_sweep_directory(const std::filesystem::path& directory);

/// Errors: core::InputError with the line if points.csv is malformed.
[[nodiscard]] PointsTable read_points_table(const std::filesystem::path& sweep);

/// The keys of all points, in order.
[[nodiscard]] std::vector<PointKey> keys_of(const PointsTable& table);

/// Such as `load=0.3,policy=pack`.
[[nodiscard]] std::string point_text(const PointsTable& table, const TablePoint& point);

/// The column of a metric in results.csv: its name, followed by `_metric` if an axis has that name.
[[nodiscard]] std::string metric_column(std::string metric, const std::vector<std::string>& axes);

/// Writes results.csv to `place` from the points' folders, `AXIS...,replication,seed,METRIC...`,
/// with one row for each finished point and replication. Metrics are those of all points, in the
/// order in which points have them, in the columns of metric_column().
/// Returns: how many points are missing.
/// Errors:  core::InputError for an invalid replications.csv of a point; std::system_error while
///          writing, and then the file keeps its content.
/// Cost:    memory for the rows of one point, and for the names of metrics.
std::size_t write_results_csv(const PointsTable& table, const std::filesystem::path& place);

/// Merges the points' censored.csv into one, in which each row has the number of its point.
/// `points` are the folders of all points, in order; those that do not exist have no rows.
/// Errors: as for write_results_csv().
void write_censored_csv(const std::vector<std::filesystem::path>& points,
                        const std::filesystem::path& place);

}  // namespace berth::experiments
