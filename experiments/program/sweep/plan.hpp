#pragma once

#include <string>
#include <vector>

#include "experiments/program/run/packed_files.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/points.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What is known of a sweep's points before any of them runs.
struct SweepPlan {
    std::vector<PointKey> keys;
    /// For each point, a larger size if it is expected to run longer; see size_estimate().
    std::vector<double> sizes;
    std::vector<double> bytes;          ///< For each point, what it is expected to write; see
                                        ///< bytes_estimate().
    std::vector<std::string> warnings;  ///< Warnings of the experiments, each once.
};

/// How each value of each axis changes the size of a point. One experiment is read for each value,
/// so errors in a value are found before the first point runs.
struct AxisSizes {
    /// How long a point runs, without a unit, and how many bytes it writes.
    struct Size {
        double work = 1;
        double bytes = 1;
    };
    Size first;                             ///< Size of point 0.
    std::vector<std::vector<Size>> ratios;  ///< Indexed by dimension and position; relative to
                                            ///< point 0.
    std::vector<std::string> warnings;      ///< Warnings of the experiments, each once.
    std::string only_runner;                ///< The only program that can run the last point which
                                            ///< this program cannot run.
};
/// Errors: core::InputError at the value of the axis, or in the file that is wrong.
[[nodiscard]] AxisSizes read_axis_sizes(const SweepSpec& sweep,
                                        const SweepPoints& points,
                                        PointExperiments& experiments,
                                        const TableForm& tables,
                                        const sim::RunControl& control);

/// Reads one experiment for each value of each axis, and resolves every point, in threads. The size
/// of a point is the product of the changes by its values. Its tables are in the form `tables`.
/// Returns: a plan without keys if it was interrupted.
/// Errors:  as for read_axis_sizes().
[[nodiscard]] SweepPlan plan_sweep(const SweepSpec& sweep,
                                   const SweepPoints& points,
                                   PointExperiments& experiments,
                                   const TableForm& tables,
                                   unsigned threads,
                                   ProgressView* progress,
                                   const sim::RunControl& control);

}  // namespace berth::experiments
