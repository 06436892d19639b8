#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/points_table.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What came of verifying every point of a sweep and results.csv.
struct SweepVerdict {
    bool interrupted = false;
    std::size_t finished = 0;             ///< Points that have a folder.
    std::vector<std::string> files;       ///< Files that are not as their manifest has them.
    std::vector<std::string> recomputed;  ///< What differs after recomputing, or could not be.
    std::vector<std::string> programs;    ///< Other builds of berth that made points.
};

/// Verifies the points in `threads` threads, one run a point; lines stand in the order of points
/// and name theirs.
/// Errors: std::system_error when a file cannot be read or written.
[[nodiscard]] SweepVerdict verify_sweep(const std::filesystem::path& sweep,
                                        const PointsTable& table,
                                        unsigned threads,
                                        sim::RunControl& control);

}  // namespace berth::experiments
