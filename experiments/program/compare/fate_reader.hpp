#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "experiments/program/compare/fates.hpp"
#include "experiments/program/results/stored/csv.hpp"

namespace berth::experiments {

/// Reads pods.csv and groups.csv of a run, one replication after another.
/// Errors: core::InputError if a table is malformed; std::system_error if it cannot be read.
class FateReader {
public:
    explicit FateReader(const std::filesystem::path& run);

    [[nodiscard]] bool has_pods() const { return pods_.csv.has_value(); }
    [[nodiscard]] bool has_groups() const { return groups_.csv.has_value(); }

    struct Replication {
        std::vector<Fate> pods;
        std::vector<Fate> groups;
    };
    /// Replications must be read in ascending order.
    [[nodiscard]] Replication read(std::int64_t replication);

private:
    /// A table whose rows are in the order of the replications.
    struct Table {
        std::optional<report::CsvReader> csv;
        bool at_row = false;  ///< Whether the current record has not been used yet.

        void open(const std::filesystem::path& file);
        /// Calls `row` for each row of a replication.
        void rows_of(std::int64_t replication, const std::function<void()>& row);
    };
    Fate read_pod() const;
    Fate read_group() const;

    Table pods_;
    Table groups_;
};

}  // namespace berth::experiments
