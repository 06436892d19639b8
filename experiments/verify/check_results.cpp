#include "experiments/verify/check_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "experiments/report/csv.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
using report::CsvReader;

constexpr const char* replications_file = "replications.csv";

bool is_finished(const TablePoint& point) {
    std::error_code ignored;
    return fs::is_regular_file(point.directory / replications_file, ignored);
}

/// The header as the points ask for it: axes, replication, seed, then each metric where it is seen
/// first.
std::vector<std::string> header_of(const PointsTable& table) {
    std::vector<std::string> header = table.axes;
    header.insert(header.end(), {"replication", "seed"});
    std::map<std::string, bool> seen;
    for (const TablePoint& point : table.points) {
        if (!is_finished(point)) {
            continue;
        }
        const CsvReader csv(point.directory / replications_file);
        for (const std::string& name : csv.header()) {
            if (name != "replication" && name != "seed" && !seen[name]) {
                seen[name] = true;
                header.push_back(name);
            }
        }
    }
    return header;
}

/// What the current row of results.csv should hold and does not.
std::optional<std::string> wrong_field(const CsvReader& results,
                                       const CsvReader& replication,
                                       const PointsTable& table,
                                       const TablePoint& point) {
    for (std::size_t c = 0; c < results.header().size(); ++c) {
        const std::string& name = results.header()[c];
        const bool is_axis = c < table.axes.size();
        const auto source = replication.find_column(name);
        const std::string expected = is_axis  ? point.values[c]
                                     : source ? replication.field(*source)
                                              : std::string();
        if (results.field(c) != expected) {
            return fmt::format(
                "results.csv has '{}' as {} of point {}, replication {}: its run "
                "has '{}'",
                results.field(c),
                name,
                point.number,
                replication.field(replication.column("replication")),
                expected);
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> check_results(const fs::path& sweep, const PointsTable& table) {
    std::error_code ignored;
    if (!fs::exists(sweep / "results.csv", ignored)) {
        return {"results.csv is missing: berth sweep --collect writes it"};
    }
    CsvReader results(sweep / "results.csv");
    if (results.header() != header_of(table)) {
        return {"results.csv has other columns than its points"};
    }
    for (const TablePoint& point : table.points) {
        if (!is_finished(point)) {
            continue;
        }
        CsvReader replications(point.directory / replications_file);
        while (replications.next()) {
            if (!results.next()) {
                return {fmt::format("results.csv ends before point {}, replication {}",
                                    point.number,
                                    replications.field(replications.column("replication")))};
            }
            if (const auto wrong = wrong_field(results, replications, table, point)) {
                return {*wrong};
            }
        }
    }
    if (results.next()) {
        return {"results.csv has more rows than its points"};
    }
    return {};
}

}  // namespace berth::experiments
