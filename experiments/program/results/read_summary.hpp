#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Shape:  of an object, only the members that are named; all where none is.
/// Errors: core::InputError where the text is no JSON, with the place.
[[nodiscard]] nlohmann::ordered_json read_json(const std::filesystem::path& path,
                                               std::vector<std::string_view> only = {});

/// The texts and numbers of manifest.json or run.json, by their keys.
/// Errors: core::InputError where there is no object.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_facts(
    const std::filesystem::path& path);

/// Takes over what the summary.json of a run directory says.
/// Errors: core::InputError where there is none, or where it has another form.
void read_summary(const std::filesystem::path& folder, RunDirectory& run);

/// The claims and expectations that it says. Errors: as read_summary().
[[nodiscard]] std::vector<ClaimResult> read_claims(const std::filesystem::path& folder);

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
