#include "experiments/program/verify/check_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
using report::CsvReader;

constexpr const char* replications_file = "replications.csv";

bool is_finished(const TablePoint& point) {
    return report::has_table(point.directory / replications_file);
}

/// The columns that follow from the points: axes, replication, seed, then the metrics in the order
/// of their first appearance.
struct Columns {
    std::vector<std::string> header;
    std::vector<std::string> sources;  ///< The name of each column in replications.csv.
};

Columns columns_of(const PointsTable& table) {
    Columns out{table.axes, table.axes};
    const auto add = [&](const std::string& name, const std::string& source) {
        out.header.push_back(name);
        out.sources.push_back(source);
    };
    add("replication", "replication");
    add("seed", "seed");
    std::set<std::string> seen;
    for (const TablePoint& point : table.points) {
        if (!is_finished(point)) {
            continue;
        }
        const CsvReader csv(point.directory / replications_file);
        for (const std::string& name : csv.header()) {
            if (name != "replication" && name != "seed" && seen.insert(name).second) {
                add(metric_column(name, table.axes), name);
            }
        }
    }
    return out;
}

/// Describes the first field of the current row of results.csv that differs from its run; nothing
/// if all agree.
std::optional<std::string> wrong_field(const CsvReader& results,
                                       const Columns& columns,
                                       const CsvReader& replication,
                                       const PointsTable& table,
                                       const TablePoint& point) {
    for (std::size_t c = 0; c < columns.header.size(); ++c) {
        const bool is_axis = c < table.axes.size();
        const auto source = replication.find_column(columns.sources[c]);
        const std::string expected = is_axis  ? point.values[c]
                                     : source ? replication.field(*source)
                                              : std::string();
        if (results.field(c) != expected) {
            return fmt::format(
                "results.csv has '{}' as {} of point {}, replication {}: its run "
                "has '{}'",
                results.field(c),
                columns.header[c],
                point.number,
                replication.field(replication.column("replication")),
                expected);
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> check_results(const fs::path& sweep, const PointsTable& table) {
    if (!core::exists(sweep / "results.csv")) {
        return {"results.csv is missing: berth sweep --collect writes it"};
    }
    CsvReader results(sweep / "results.csv");
    const Columns columns = columns_of(table);
    if (results.header() != columns.header) {
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
            if (const auto wrong = wrong_field(results, columns, replications, table, point)) {
                return {*wrong};
            }
        }
    }
    if (results.next()) {
        return {"results.csv has more rows than its points"};
    }
    return {};
}

std::vector<std::string> check_bytes_of_results(const fs::path& sweep,
                                                const PointsTable& table,
                                                const fs::path& again) {
    const fs::path results = sweep / "results.csv";
    PointsTable finished = table;
    std::erase_if(finished.points, [](const TablePoint& point) { return !is_finished(point); });
    try {
        write_results_csv(finished, again);
        if (core::is_file(results) && sha256_of(results) == sha256_of(again)) {
            return {};
        }
    } catch (const core::InputError&) {
        // The comparison of values names the point whose table cannot be read.
    }
    std::vector<std::string> lines = check_results(sweep, table);
    if (lines.empty()) {
        lines.emplace_back("results.csv has the values of its points, but not the same bytes");
    }
    return lines;
}

std::vector<std::string> check_whole(const fs::path& run) {
    if (!core::exists(run / "manifest.json")) {
        if (!core::exists(run / "summary.json")) {
            return {};
        }
        return {
            fmt::format("{}: warning: manifest.json is missing, so it is not known whether the "
                        "other files are whole: expected a folder as berth run wrote it",
                        run.string())};
    }
    const Manifest manifest = read_manifest(run);
    std::vector<std::string> changed = changed_files(run, manifest);
    std::ranges::move(other_files(run, manifest).added, std::back_inserter(changed));
    if (!changed.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: {}: expected the files as the run wrote them: run its experiment again",
            run.string(),
            core::join(changed, "; ")));
    }
    return {};
}

void check_whole_sweep(const fs::path& sweep) {
    if (!core::exists(sweep / "points.csv") || !core::exists(sweep / "results.csv")) {
        return;
    }
    const PointsTable table = read_points_table(sweep);
    const bool has_points = std::ranges::any_of(
        table.points, [&](const TablePoint& point) { return is_done(point.directory); });
    const std::vector<std::string> wrong =
        has_points ? check_results(sweep, table) : std::vector<std::string>();
    if (!wrong.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: {}: expected the rows of its points: berth sweep {} --collect writes them",
            sweep.string(),
            wrong.front(),
            sweep.string()));
    }
}

}  // namespace berth::experiments
