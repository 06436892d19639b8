#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/sweep/file_lock.hpp"
#include "experiments/program/sweep/points.hpp"

namespace berth::experiments {

inline constexpr const char* sweep_manifest_name = "sweep-manifest.json";

/// The files of a sweep directory whose digests are in its manifest.
inline constexpr std::array<std::string_view, 5> sweep_files{
    "censored.csv", "points.csv", "results.csv", "results.sqlite", "sweep.yaml"};

/// The files that a plan writes into its sweep's directory, whose digests are in its manifest too.
inline constexpr std::array<std::string_view, 3> plan_files{"plan.html", "plan.json", "plan.yaml"};

/// Whether a folder is the result of a point.
[[nodiscard]] bool is_done(const std::filesystem::path& point);

/// The directory in which a sweep keeps its points and results. A point's folder is either complete
/// or does not exist; everything else in the directory can be made again from the points.
class SweepDirectory {
public:
    /// Errors: core::InputError if the place is taken by something else, or by another sweep.
    ///         Nothing is written.
    SweepDirectory(std::filesystem::path place, const SweepSpec& sweep);

    /// Creates what is missing, writes sweep.yaml and points.csv if they differ, and removes what
    /// killed processes left behind.
    /// Errors: core::InputError if it cannot be created; std::system_error while writing.
    void prepare(const SweepSpec& sweep,
                 const SweepPoints& points,
                 const std::vector<PointKey>& keys) const;

    [[nodiscard]] const std::filesystem::path& place() const { return place_; }
    [[nodiscard]] std::filesystem::path point(const PointKey& key) const {
        return place_ / "points" / key;
    }
    /// Whether the point is done. An empty folder in its place is not a result, and is replaced.
    /// Errors: InputError if something else is in its place.
    [[nodiscard]] bool has_point(const PointKey& key) const;
    /// Syncs all existing points to the disk: a process that moved a point to its place may have
    /// been killed before it did this.
    /// Errors: std::system_error with the path.
    void sync_points() const;
    /// The holder of this lock computes the point.
    [[nodiscard]] std::optional<FileLock> try_lock_point(const PointKey& key) const;
    /// The holder of this lock writes the files beside the points.
    [[nodiscard]] FileLock lock_files() const;

private:
    void check_is_free_for(const std::string& sweep) const;
    void remove_leftovers() const;

    std::filesystem::path place_;
};

/// The text of points.csv: `point,key,AXIS...`, with one row for each point.
[[nodiscard]] std::string points_csv(const SweepSpec& sweep,
                                     const SweepPoints& points,
                                     const std::vector<PointKey>& keys);

}  // namespace berth::experiments
