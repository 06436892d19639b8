#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/sweep/file_lock.hpp"
#include "experiments/program/sweep/points.hpp"

namespace berth::experiments {

/// Where a sweep keeps its points and results. A point's folder is there, whole, or it is not;
/// everything else in a sweep's directory can be made again from the points.
class SweepDirectory {
public:
    /// Errors: core::InputError when the place is taken by something else, or by another sweep.
    ///         Nothing is written.
    SweepDirectory(std::filesystem::path place, const SweepSpec& sweep);

    /// Makes what is missing, writes sweep.yaml and points.csv if they are not those already, and
    /// removes what processes that were killed left behind.
    /// Errors: core::InputError when it cannot be created; std::system_error while writing.
    void prepare(const SweepSpec& sweep,
                 const SweepPoints& points,
                 const std::vector<PointKey>& keys) const;

    [[nodiscard]] const std::filesystem::path& place() const { return place_; }
    [[nodiscard]] std::filesystem::path point(const PointKey& key) const {
        return place_ / "points" / key;
    }
    [[nodiscard]] bool has_point(const PointKey& key) const;
    /// Has all points that are there on the disk: whoever moved one to its place may have been
    /// killed before that.
    /// Errors: std::system_error with the path.
    void sync_points() const;
    /// Whoever holds it computes the point.
    [[nodiscard]] std::optional<FileLock> try_lock_point(const PointKey& key) const;
    /// Whoever holds it writes the files beside the points.
    [[nodiscard]] FileLock lock_files() const;

private:
    void check_is_free_for(const std::string& sweep) const;
    void remove_leftovers() const;

    std::filesystem::path place_;
};

/// `point,key,AXIS...`, one row a point.
[[nodiscard]] std::string points_csv(const SweepSpec& sweep,
                                     const SweepPoints& points,
                                     const std::vector<PointKey>& keys);

}  // namespace berth::experiments
