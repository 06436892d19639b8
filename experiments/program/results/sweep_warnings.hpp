#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::report {

/// What the summary.json of a run warns of about its own means and percentiles (docs/reference/
/// metrics.md, "When means mislead"); nothing for a folder without one.
[[nodiscard]] std::vector<std::string> warnings_about_means(const std::filesystem::path& run);

/// The kinds alone: `warm-up, drain`; empty where there is none.
[[nodiscard]] std::string kinds_of_warnings(const std::filesystem::path& run);

/// The same of all points of a sweep: a sentence for each kind of warning, with how many points
/// have it and what the first of them says.
///
/// Shape: the folders and the names of the finished points, in the same order.
/// Cost:  reads one file a point.
[[nodiscard]] std::vector<std::string> sweep_warnings(
    const std::vector<std::filesystem::path>& folders, const std::vector<std::string>& names);

}  // namespace berth::report
