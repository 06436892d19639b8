#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// A row of a sweep directory's points.csv.
struct TablePoint {
    std::string number;
    std::vector<std::string> values;  ///< By axis, as they are written.
    std::filesystem::path directory;  ///< Not there while the point is not finished.
};

/// points.csv: every point of a sweep, finished or not, in order.
struct PointsTable {
    std::vector<std::string> axes;
    std::vector<TablePoint> points;
};

/// Whether the folder is that of a sweep.
[[nodiscard]] bool is_sweep_directory(const std::filesystem::path& directory);

/// Errors: core::InputError with the line when points.csv is malformed.
[[nodiscard]] PointsTable read_points_table(const std::filesystem::path& sweep);

/// `load=0.3,policy=pack`.
[[nodiscard]] std::string point_text(const PointsTable& table, const TablePoint& point);

/// Writes results.csv from the points' folders, `AXIS...,replication,seed,METRIC...`: one row a
/// point and replication, of the points that are there. Metrics are those of all points, in the
/// order in which points have them; a metric named as an axis has `_metric` behind its name.
/// Returns: how many points are missing.
/// Errors:  core::InputError when a point's replications.csv is none; std::system_error while
///          writing, and then the file is what it was.
/// Cost:    memory for the rows of one point, and for the names of metrics.
/// Beside it, it writes censored.csv.
std::size_t write_results_csv(const SweepSpec& sweep,
                              const SweepPoints& points,
                              const std::vector<PointKey>& keys,
                              const SweepDirectory& directory);

/// Writes the points' censored.csv in one, each row with the number of its point. `points` are all
/// points' folders in order; those that are not there have no rows.
/// Errors: as write_results_csv().
void write_censored_csv(const std::vector<std::filesystem::path>& points,
                        const std::filesystem::path& place);

}  // namespace berth::experiments
