#pragma once

#include <filesystem>

namespace berth::experiments {

/// Writes `results.sqlite` of a sweep directory from its points.csv, its results.csv and the
/// summaries of its finished points (docs/reference/sweep-results.md). The file replaces the
/// previous one as a whole.
///
/// Errors: core::InputError for a table or a summary that cannot be read; std::system_error with
///         the path.
/// Cost:   each table is read once more than it is written; a row and a summary are in memory.
void write_results_sqlite(const std::filesystem::path& sweep_directory);
/// Does the same at another place.
void write_results_sqlite(const std::filesystem::path& sweep_directory,
                          const std::filesystem::path& place);

}  // namespace berth::experiments
