#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::experiments {

/// replications.csv: every metric of every replication.
struct ReplicationTable {
    struct Row {
        std::int64_t replication = 0;
        std::vector<std::optional<double>> values;  ///< By metric.
    };
    std::vector<std::string> metrics;
    std::map<std::uint64_t, Row> by_seed;
};

/// Whether the folder has such a table, with seeds.
[[nodiscard]] bool has_seeds(const std::filesystem::path& run);

/// Errors: core::InputError when the folder is no run directory, or the table is malformed.
[[nodiscard]] ReplicationTable read_replication_table(const std::filesystem::path& run);

}  // namespace berth::experiments
