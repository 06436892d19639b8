#include "experiments/program/sweep/points_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/csv.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// Keys name folders: nothing but a digest may become one.
bool is_key(const std::string& text) {
    constexpr std::size_t digits = 32;
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

bool is_sweep_directory(const fs::path& directory) {
    return core::is_file(directory / "points.csv");
}

PointsTable read_points_table(const fs::path& sweep) {
    report::CsvReader csv(sweep / "points.csv");
    const std::size_t number = csv.column("point");
    const std::size_t key = csv.column("key");
    PointsTable table;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != number && c != key) {
            columns.push_back(c);
            table.axes.push_back(csv.header()[c]);
        }
    }
    while (csv.next()) {
        if (!is_key(csv.field(key))) {
            csv.fail(key, fmt::format("'{}': expected 32 hexadecimal digits", csv.field(key)));
        }
        TablePoint& point = table.points.emplace_back();
        point.number = csv.field(number);
        point.directory = sweep / "points" / csv.field(key);
        std::ranges::transform(
            columns, std::back_inserter(point.values), [&](std::size_t c) { return csv.field(c); });
    }
    return table;
}

std::string point_text(const PointsTable& table, const TablePoint& point) {
    std::vector<std::string> parts;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
        parts.push_back(fmt::format("{}={}", table.axes[axis], point.values[axis]));
    }
    return core::join(parts, ",");
}

}  // namespace berth::experiments
