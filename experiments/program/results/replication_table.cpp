#include "experiments/program/results/replication_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/support/file_kind.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/support/sql_names.hpp"

namespace berth::report {
namespace {

/// Reads a whole number such as a seed, which has 63 bits and so does not fit into a double.
template <class Whole>
Whole whole(const CsvReader& csv, std::size_t column) {
    const std::string& text = csv.field(column);
    const auto value = core::parse_number<Whole>(text);
    if (!value) {
        csv.fail(column, fmt::format("'{}': expected a whole number", text));
    }
    return *value;
}

void read_censored(const std::filesystem::path& file, ReplicationTable& table) {
    if (!core::is_file(file)) {
        return;
    }
    std::map<std::string, std::size_t> metrics;
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
        metrics.emplace(table.metrics[i], i);
    }
    std::map<std::int64_t, ReplicationTable::Row*> rows;
    for (auto& [seed, row] : table.by_seed) {
        rows.emplace(row.replication, &row);
    }
    CsvReader csv(file);
    const auto [replication, metric, at_least, never_started] =
        csv.columns("replication", "metric", "at_least", "never_started");
    while (csv.next()) {
        const auto row = rows.find(whole<std::int64_t>(csv, replication));
        const auto known = metrics.find(csv.field(metric));
        if (row == rows.end() || known == metrics.end()) {
            csv.fail(row == rows.end() ? replication : metric,
                     "replications.csv does not have it: expected one of its own");
        }
        ReplicationTable::Figure& figure = row->second->figures[known->second];
        figure.at_least = csv.number(at_least);
        figure.never_started = csv.number(never_started).value_or(0);
    }
}

}  // namespace

std::vector<RowPair> common_rows(const ReplicationTable& baseline, const ReplicationTable& other) {
    std::vector<RowPair> rows;
    for (const auto& [seed, row] : baseline.by_seed) {
        const auto found = other.by_seed.find(seed);
        if (found != other.by_seed.end()) {
            rows.emplace_back(&row, &found->second);
        }
    }
    // Seeds are hashes, so rows are ordered by replication instead, as in the files.
    std::ranges::sort(rows, {}, [](const RowPair& pair) { return pair.first->replication; });
    return rows;
}

bool are_repeats(const std::vector<RowPair>& rows) {
    return rows.size() > 1 && std::ranges::all_of(rows, [&](const RowPair& pair) {
               return pair.first->figures == rows.front().first->figures &&
                      pair.second->figures == rows.front().second->figures;
           });
}

bool has_seeds(const std::filesystem::path& run) {
    const std::filesystem::path file = run / "replications.csv";
    return core::is_file(file) && CsvReader(file).find_column("seed").has_value();
}

ReplicationTable read_replication_table(const std::filesystem::path& run) {
    const std::filesystem::path file = run / "replications.csv";
    if (!core::is_file(file)) {
        throw core::InputError(fmt::format(
            "{}: error: this is not a run directory: expected a folder with replications.csv",
            run.string()));
    }
    CsvReader csv(file);
    const std::size_t replication = csv.column("replication");
    const std::size_t seed = csv.column("seed");
    std::vector<std::size_t> columns;
    ReplicationTable table;
    const std::vector<bool> repeated = repeated_for_sql(csv.header());
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != replication && c != seed && !repeated[c]) {
            columns.push_back(c);
            table.metrics.push_back(csv.header()[c]);
        }
    }
    while (csv.next()) {
        ReplicationTable::Row row;
        row.seed = whole<std::uint64_t>(csv, seed);
        row.replication = whole<std::int64_t>(csv, replication);
        for (const std::size_t c : columns) {
            row.figures.push_back({.value = csv.number(c), .at_least = {}});
        }
        if (!table.by_seed.emplace(row.seed, std::move(row)).second) {
            csv.fail(seed, "two replications have this seed: expected each once");
        }
    }
    read_censored(run / "censored.csv", table);
    return table;
}

}  // namespace berth::report
