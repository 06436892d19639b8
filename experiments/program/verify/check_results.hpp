#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/results_csv.hpp"

namespace berth::experiments {

/// Checks that a sweep's results.csv has the rows of its finished points' replications.csv, in
/// order. Returns one line about the first error, or none.
/// Errors: core::InputError if a table is malformed; std::system_error if it cannot be read.
/// Cost:   one row in memory.
[[nodiscard]] std::vector<std::string> check_results(const std::filesystem::path& sweep,
                                                     const PointsTable& table);

/// The same for every byte: results.csv is written again to `again`, where it is left. If the bytes
/// differ, the line names the first value that does, if any.
[[nodiscard]] std::vector<std::string> check_bytes_of_results(const std::filesystem::path& sweep,
                                                              const PointsTable& table,
                                                              const std::filesystem::path& again);

/// Checks, before the content of a run directory is shown, that its files are those that the run
/// wrote, by the digests in its manifest. A folder that is not a run directory at all is left to
/// its reader.
/// Returns: a warning if a run has no manifest, since its files cannot be checked.
/// Errors:  core::InputError that names the missing, truncated or changed files; std::system_error
///         if one of them cannot be read.
[[nodiscard]] std::vector<std::string> check_whole(const std::filesystem::path& run);

/// Checks in the same way that a sweep's results.csv has the rows of its points, as far as these
/// exist.
/// Errors: core::InputError about the first error.
void check_whole_sweep(const std::filesystem::path& sweep);

}  // namespace berth::experiments
