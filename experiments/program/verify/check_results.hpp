#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/results_csv.hpp"

namespace berth::experiments {

/// Whether results.csv of a sweep has the rows of its finished points' replications.csv, in order:
/// one line for what is wrong first, or none.
/// Errors: core::InputError when a table is malformed; std::system_error when it cannot be read.
/// Cost:   one row in memory.
[[nodiscard]] std::vector<std::string> check_results(const std::filesystem::path& sweep,
                                                     const PointsTable& table);

/// Looks whether the files of a run directory are those that the run wrote, by the digests of its
/// manifest, before anybody shows what is in them. A folder that is no run directory at all is left
/// to its reader.
/// Returns: a warning for a run without a manifest, of whose files nobody can tell.
/// Errors:  core::InputError that names the files that are missing, cut or changed;
///          std::system_error when one cannot be read.
[[nodiscard]] std::vector<std::string> check_whole(const std::filesystem::path& run);

/// The same of a sweep: whether results.csv has the rows of its points, as far as those are there.
/// Errors: core::InputError that says what is wrong first.
void check_whole_sweep(const std::filesystem::path& sweep);

}  // namespace berth::experiments
