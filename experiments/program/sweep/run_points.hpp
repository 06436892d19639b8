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
    /// Whether running the same command again can help.
    enum class Again : std::uint8_t {
        no,          ///< The experiment is wrong: it fails until it is changed.
        yes,         ///< A file that it needs changed while the sweep ran.
        with_fewer,  ///< Memory ran out: with fewer points at a time it may suffice.
    };
    std::size_t point = 0;
    std::string why;
    Again again = Again::no;
};

struct PointRuns {
    std::size_t done = 0;             ///< Points that this process computed in this call.
    std::vector<FailedPoint> failed;  ///< Sorted by point.
    bool interrupted = false;
};

/// Runs the points of `wanted` that are not done, the largest first, as many at a time as there are
/// threads, each in its own folder. Points that another process is at are left to it, and waited
/// for at the end; if it dies, they are taken over.
/// Errors: std::system_error if a folder cannot be written: points that had begun are finished, and
///         no more begin. A point whose experiment is wrong counts as failed.
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
