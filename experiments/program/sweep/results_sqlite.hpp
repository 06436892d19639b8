#pragma once

#include <filesystem>

namespace berth::experiments {

/// Writes `results.sqlite` of a sweep directory from its points.csv, its results.csv and the
/// summaries of its points that are finished (docs/reference/sweep-results.md). The file appears
/// whole, in the place of the one before.
///
/// Errors: core::InputError for a table or a summary that cannot be read as such; std::system_error
///         with the path.
/// Cost:   each table is read once more than written; a row and a summary are in memory.
void write_results_sqlite(const std::filesystem::path& sweep_directory);
/// The same to another place.
void write_results_sqlite(const std::filesystem::path& sweep_directory,
                          const std::filesystem::path& place);

}  // namespace berth::experiments
