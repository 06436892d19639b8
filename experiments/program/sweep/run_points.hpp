#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/run/packed_files.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// A point that did not run, and why.
struct FailedPoint {
    /// Whether the same command can do better.
    enum class Again : std::uint8_t {
        no,          ///< Its experiment is wrong: it fails until that is changed.
        yes,         ///< What it needs changed while the sweep ran.
        with_fewer,  ///< There was no memory: with fewer points at a time there may be.
    };
    std::size_t point = 0;
    std::string why;
    Again again = Again::no;
};

struct PointRuns {
    std::size_t done = 0;             ///< By this process, now.
    std::vector<FailedPoint> failed;  ///< By point.
    bool interrupted = false;
};

/// Runs the points of `wanted` that are not done, those of the largest size first, as many at a
/// time as there are threads, and each into its own folder. Points that another process is at are
/// left to it, and waited for at the end; should it die, they are taken over.
/// Errors: std::system_error when a folder cannot be written: the other points that had begun are
///         finished, and no more begin. A point whose experiment is wrong is one that failed.
[[nodiscard]] PointRuns run_points(const SweepSpec& sweep,
                                   const SweepPlan& plan,
                                   const std::vector<std::size_t>& wanted,
                                   PointExperiments& experiments,
                                   const SweepDirectory& directory,
                                   unsigned threads,
                                   const TableForm& tables,
                                   ProgressView* progress,
                                   sim::RunControl& control);

}  // namespace berth::experiments
