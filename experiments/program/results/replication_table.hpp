#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// The content of replications.csv and censored.csv: every metric of every replication.
struct ReplicationTable {
    struct Figure {
        std::optional<double> value;
        /// A lower bound of the value that includes what still waits or runs.
        std::optional<double> at_least;
        /// The share that never started, of all that the metric is about.
        double never_started = 0;

        bool operator==(const Figure&) const = default;
    };
    struct Row {
        std::uint64_t seed = 0;
        std::int64_t replication = 0;
        std::vector<Figure> figures;  ///< One figure for each metric.
    };
    std::vector<std::string> metrics;
    std::map<std::uint64_t, Row> by_seed;
};

/// One replication of each of two tables, with the same seed.
using RowPair = std::pair<const ReplicationTable::Row*, const ReplicationTable::Row*>;
/// The pairs of rows whose seed is in both tables, in the order of the first; they point into the
/// tables.
[[nodiscard]] std::vector<RowPair> common_rows(const ReplicationTable& baseline,
                                               const ReplicationTable& other);

/// Whether there are several pairs, and all have the figures of the first one: where nothing is
/// drawn by chance, as in a trace, replications repeat each other and tell no more than one.
[[nodiscard]] bool are_repeats(const std::vector<RowPair>& rows);

/// Whether the folder has replications.csv, with seeds.
[[nodiscard]] bool has_seeds(const std::filesystem::path& run);

/// Reads both tables. A run of an older version of berth has no censored.csv.
/// Errors: core::InputError if the folder is not a run directory, or a table is malformed.
[[nodiscard]] ReplicationTable read_replication_table(const std::filesystem::path& run);

}  // namespace berth::report
