#include "experiments/program/sweep/results_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

#include "core/support/csv_record.hpp"
#include "core/support/file_kind.hpp"
#include "core/support/interner.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {
namespace {

/// The metrics of all points, in the order in which points have them.
using Metrics = core::Interner<std::string>;

namespace fs = std::filesystem;

/// The columns of replications.csv before the metrics are replication and seed.
constexpr std::size_t first_metric = 2;

std::string header(const std::vector<std::string>& axes, const Metrics& metrics) {
    std::string out;
    for (const std::string& axis : axes) {
        out += core::csv_field(axis) + ",";
    }
    out += "replication,seed";
    for (const std::string& metric : metrics.values()) {
        out += "," + core::csv_field(metric_column(metric, axes));
    }
    return out + "\n";
}

void add_rows(report::CsvReader& replications,
              const std::string& axes,
              const Metrics& metrics,
              std::ostream& out) {
    const std::size_t replication = replications.column("replication");
    const std::size_t seed = replications.column("seed");
    const std::vector<std::string>& columns = replications.header();
    std::vector<std::size_t> place;
    for (std::size_t column = first_metric; column < columns.size(); ++column) {
        place.push_back(*metrics.find(columns[column]));
    }
    std::vector<std::string> cells(metrics.size());
    while (replications.next()) {
        for (std::size_t i = 0; i < place.size(); ++i) {
            cells[place[i]] = replications.field(first_metric + i);
        }
        out << axes << replications.field(replication) << ',' << replications.field(seed);
        for (const std::string& cell : cells) {
            out << ',' << cell;
        }
        out << '\n';
    }
}

}  // namespace

std::string metric_column(std::string metric, const std::vector<std::string>& axes) {
    while (std::ranges::find(axes, metric) != axes.end()) {
        metric += "_metric";
    }
    return metric;
}

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
        if (!is_point_key(csv.field(key))) {  // it names a folder
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

std::vector<PointKey> keys_of(const PointsTable& table) {
    std::vector<PointKey> keys;
    for (const TablePoint& point : table.points) {
        keys.push_back(point.directory.filename().string());
    }
    return keys;
}

std::string point_text(const PointsTable& table, const TablePoint& point) {
    std::vector<std::string> parts;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
        parts.push_back(fmt::format("{}={}", table.axes[axis], point.values[axis]));
    }
    return core::join(parts, ",");
}

std::size_t write_results_csv(const PointsTable& table, const fs::path& place) {
    const auto replications_of = [](const TablePoint& point) {
        return report::CsvReader(point.directory / "replications.csv");
    };
    std::size_t missing = 0;
    Metrics metrics;
    for (const TablePoint& point : table.points) {
        if (!is_done(point.directory)) {
            ++missing;
            continue;
        }
        const report::CsvReader replications = replications_of(point);
        for (std::size_t column = first_metric; column < replications.header().size(); ++column) {
            (void)metrics.number(replications.header()[column]);
        }
    }
    WholeFile file(place);
    file.out() << header(table.axes, metrics);
    for (const TablePoint& point : table.points) {
        if (!is_done(point.directory)) {
            continue;
        }
        std::string axes;
        for (const std::string& text : point.values) {
            axes += core::csv_field(text) + ",";
        }
        report::CsvReader replications = replications_of(point);
        add_rows(replications, axes, metrics, file.out());
    }
    file.commit();
    return missing;
}

void write_censored_csv(const std::vector<fs::path>& points, const fs::path& place) {
    WholeFile file(place);
    file.out() << "point,replication,metric,at_least,never_started\n";
    for (std::size_t point = 0; point < points.size(); ++point) {
        const fs::path source = points[point] / "censored.csv";
        if (!core::exists(source)) {
            continue;
        }
        report::CsvReader csv(source);
        const std::array columns{csv.column("replication"),
                                 csv.column("metric"),
                                 csv.column("at_least"),
                                 csv.column("never_started")};
        while (csv.next()) {
            file.out() << point;
            for (const std::size_t column : columns) {
                file.out() << ',' << core::csv_field(csv.field(column));
            }
            file.out() << '\n';
        }
    }
    file.commit();
}

}  // namespace berth::experiments
