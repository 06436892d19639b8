#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/sweep/points.hpp"

namespace berth::experiments {

/// What sweep-manifest.json tells about a sweep directory, from when its results were collected.
struct SweepManifest {
    std::string version;
    std::string sources;
    std::map<std::string, std::string> files;   ///< SHA-256 by file name.
    std::map<std::string, std::string> points;  ///< SHA-256 of a point's manifest.json, by the
                                                ///< point's key.
};

/// The manifest of a sweep directory as it is now, without files that do not exist.
/// Errors: std::system_error if a file cannot be read.
[[nodiscard]] SweepManifest make_sweep_manifest(const std::filesystem::path& sweep,
                                                const std::vector<PointKey>& keys);
/// The manifest as JSON. It is the same wherever SQLite has the same version.
[[nodiscard]] std::string text_of_manifest(const SweepManifest& manifest);

/// Errors: core::InputError if it is no such manifest; std::system_error if it cannot be read.
/// Returns: nothing if there is none.
[[nodiscard]] std::optional<SweepManifest> read_sweep_manifest(const std::filesystem::path& sweep);

/// Collects the results of the points in a sweep's points.csv: results.csv, censored.csv,
/// results.sqlite, and last the manifest with their digests.
/// Returns: how many points are missing.
/// Errors:  as for write_results_csv() and write_results_sqlite().
std::size_t collect_results(const std::filesystem::path& sweep);

}  // namespace berth::experiments
