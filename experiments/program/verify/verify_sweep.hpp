#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/sweep/results_csv.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// The result of verifying all points of a sweep, and the files that were collected from them.
struct SweepVerdict {
    bool interrupted = false;
    std::size_t finished = 0;        ///< The number of points that have a folder.
    std::vector<std::string> files;  ///< Files that differ from their manifest.
    /// Points that differ after recomputing, or could not be recomputed.
    std::vector<std::string> recomputed;
    std::vector<std::string> unknown;   ///< Files in the folder that are not berth's, by path.
    std::vector<std::string> programs;  ///< Other builds of berth that computed points.
};

/// Verifies the points in `threads` threads, one run per point. Lines are in the order of the
/// points, and each names its point.
/// Errors: std::system_error if a file cannot be read or written.
[[nodiscard]] SweepVerdict verify_sweep(const std::filesystem::path& sweep,
                                        const PointsTable& table,
                                        unsigned threads,
                                        bool code_is_allowed,
                                        sim::RunControl& control);

}  // namespace berth::experiments
