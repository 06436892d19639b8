#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace berth::experiments
