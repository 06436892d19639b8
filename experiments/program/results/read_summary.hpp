#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Reads a JSON file.
/// Shape:  an object has only the named members, or all if none is named.
/// Errors: core::InputError with the place where the text is not JSON.
[[nodiscard]] nlohmann::ordered_json read_json(const std::filesystem::path& path,
                                               std::vector<std::string_view> only = {});

/// The texts and numbers of manifest.json or run.json, by their keys.
/// Errors: core::InputError if the file has no object.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_facts(
    const std::filesystem::path& path);

/// Fills `run` with the content of a run directory's summary.json.
/// Errors: core::InputError if the file is missing or malformed.
void read_summary(const std::filesystem::path& folder, RunDirectory& run);

/// The claims and expectations in summary.json. Errors: as read_summary().
[[nodiscard]] std::vector<ClaimResult> read_claims(const std::filesystem::path& folder);

/// The warnings in a run's summary.json; empty for a folder without that file.
[[nodiscard]] std::vector<std::string> warnings_of_run(const std::filesystem::path& run);

/// Whether a warning is about means and percentiles (docs/reference/metrics.md, "When means
/// mislead").
[[nodiscard]] bool is_about_means(std::string_view warning);

/// The warnings in a run's summary.json about its means and percentiles (docs/reference/metrics.md,
/// "When means mislead"); empty for a folder without that file.
[[nodiscard]] std::vector<std::string> warnings_about_means(const std::filesystem::path& run);

/// Only the kinds of those warnings, such as `warm-up, drain`; empty if there are none.
[[nodiscard]] std::string kinds_of_warnings(const std::filesystem::path& run);

/// The warnings of all points of a sweep: one sentence for each kind, with the number of points
/// that have it and the first such warning.
///
/// Shape: the folders and the names of the finished points, in the same order.
/// Cost:  reads one file per point.
[[nodiscard]] std::vector<std::string> sweep_warnings(
    const std::vector<std::filesystem::path>& folders, const std::vector<std::string>& names);

}  // namespace berth::report
