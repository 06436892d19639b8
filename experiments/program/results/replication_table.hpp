#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// replications.csv and censored.csv: every metric of every replication.
struct ReplicationTable {
    struct Figure {
        std::optional<double> value;
        std::optional<double> at_least;  ///< Counting those that still wait or run.
        double never_started = 0;        ///< A share of those that the metric is about.
    };
    struct Row {
        std::uint64_t seed = 0;
        std::int64_t replication = 0;
        std::vector<Figure> figures;  ///< By metric.
    };
    std::vector<std::string> metrics;
    std::map<std::uint64_t, Row> by_seed;
};

/// A replication of each of two tables, with one seed.
using RowPair = std::pair<const ReplicationTable::Row*, const ReplicationTable::Row*>;
/// Those that both have, in the order of the first; they point into the tables.
[[nodiscard]] std::vector<RowPair> common_rows(const ReplicationTable& baseline,
                                               const ReplicationTable& other);

/// Whether the folder has such a table, with seeds.
[[nodiscard]] bool has_seeds(const std::filesystem::path& run);

/// Reads both tables; a run of an older berth has no censored.csv.
/// Errors: core::InputError when the folder is no run directory, or a table is malformed.
[[nodiscard]] ReplicationTable read_replication_table(const std::filesystem::path& run);

}  // namespace berth::report
