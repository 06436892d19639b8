#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/results_csv.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What came of verifying every point of a sweep, and what was collected from them.
struct SweepVerdict {
    bool interrupted = false;
    std::size_t finished = 0;             ///< Points that have a folder.
    std::vector<std::string> files;       ///< Files that are not as their manifest has them.
    std::vector<std::string> recomputed;  ///< What differs after recomputing, or could not be.
    std::vector<std::string> unknown;   ///< What is in the folder and is not berth's, by its path.
    std::vector<std::string> programs;  ///< Other builds of berth that made points.
};

/// Verifies the points in `threads` threads, one run a point; lines stand in the order of points
/// and name theirs.
/// Errors: std::system_error when a file cannot be read or written.
[[nodiscard]] SweepVerdict verify_sweep(const std::filesystem::path& sweep,
                                        const PointsTable& table,
                                        unsigned threads,
                                        bool code_is_allowed,
                                        sim::RunControl& control);

}  // namespace berth::experiments
