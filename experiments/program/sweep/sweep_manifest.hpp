#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

inline constexpr const char* sweep_manifest_name = "sweep-manifest.json";

/// The files of a sweep directory of which its manifest has the digests.
inline constexpr std::array<std::string_view, 5> sweep_files{
    "censored.csv", "points.csv", "results.csv", "results.sqlite", "sweep.yaml"};

/// What sweep-manifest.json says of a sweep directory, as its results were collected.
struct SweepManifest {
    std::string version;
    std::string sources;
    std::map<std::string, std::string> files;   ///< SHA-256 by name.
    std::map<std::string, std::string> points;  ///< That of a point's manifest.json, by its key.
};

/// The manifest of a sweep directory as it is now; of what is not there, it says nothing.
/// Errors: std::system_error when a file cannot be read.
[[nodiscard]] SweepManifest make_sweep_manifest(const std::filesystem::path& sweep,
                                                const std::vector<PointKey>& keys);
/// The same as JSON, which is the same wherever SQLite is of the same version.
[[nodiscard]] std::string text_of_manifest(const SweepManifest& manifest);

/// Errors: core::InputError when it is no such manifest; std::system_error when it cannot be read.
/// Returns: nothing when there is none.
[[nodiscard]] std::optional<SweepManifest> read_sweep_manifest(const std::filesystem::path& sweep);

/// Collects what the points of a sweep gave: results.csv, censored.csv, results.sqlite, and last
/// the manifest, which has the digests of these.
/// Returns: how many points are missing.
/// Errors:  as write_results_csv() and write_results_sqlite().
std::size_t collect_results(const SweepSpec& sweep,
                            const SweepPoints& points,
                            const std::vector<PointKey>& keys,
                            const SweepDirectory& directory);

}  // namespace berth::experiments
