#include "experiments/compare/replication_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "core/support/source.hpp"
#include "experiments/report/csv.hpp"

namespace berth::experiments {
namespace {

/// Seeds have 63 bits: more than a double holds.
template <class Whole>
Whole whole(const report::CsvReader& csv, std::size_t column) {
    const std::string& text = csv.field(column);
    Whole value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) {
        csv.fail(column, fmt::format("'{}': expected a whole number", text));
    }
    return value;
}

}  // namespace

bool has_seeds(const std::filesystem::path& run) {
    const std::filesystem::path file = run / "replications.csv";
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) &&
           report::CsvReader(file).find_column("seed").has_value();
}

ReplicationTable read_replication_table(const std::filesystem::path& run) {
    const std::filesystem::path file = run / "replications.csv";
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
        throw core::InputError(fmt::format(
            "{}: error: this is no run directory: expected a folder with replications.csv",
            run.string()));
    }
    report::CsvReader csv(file);
    const std::size_t replication = csv.column("replication");
    const std::size_t seed = csv.column("seed");
    std::vector<std::size_t> columns;
    ReplicationTable table;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != replication && c != seed) {
            columns.push_back(c);
            table.metrics.push_back(csv.header()[c]);
        }
    }
    while (csv.next()) {
        ReplicationTable::Row row;
        row.replication = whole<std::int64_t>(csv, replication);
        for (const std::size_t c : columns) {
            row.values.push_back(csv.number(c));
        }
        if (!table.by_seed.emplace(whole<std::uint64_t>(csv, seed), std::move(row)).second) {
            csv.fail(seed, "two replications have this seed: expected each once");
        }
    }
    return table;
}

}  // namespace berth::experiments
