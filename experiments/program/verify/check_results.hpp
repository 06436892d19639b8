#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/points_table.hpp"

namespace berth::experiments {

/// Whether results.csv of a sweep has the rows of its finished points' replications.csv, in order:
/// one line for what is wrong first, or none.
/// Errors: core::InputError when a table is malformed; std::system_error when it cannot be read.
/// Cost:   one row in memory.
[[nodiscard]] std::vector<std::string> check_results(const std::filesystem::path& sweep,
                                                     const PointsTable& table);

}  // namespace berth::experiments
