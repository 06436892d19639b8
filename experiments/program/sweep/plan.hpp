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
    /// By point, larger for what is expected to run longer; see size_estimate().
    std::vector<double> sizes;
    std::vector<double> bytes;  ///< By point, what it is expected to write; see bytes_estimate().
    std::vector<std::string> warnings;  ///< Of the experiments, each once.
};

/// What each value of each axis does to the size of a point, by reading one experiment for each: so
/// what is wrong with a value shows before the first point runs.
struct AxisSizes {
    /// How long a point runs, in no unit, and how many bytes it writes.
    struct Size {
        double work = 1;
        double bytes = 1;
    };
    Size first;                             ///< Of point 0.
    std::vector<std::vector<Size>> ratios;  ///< By dimension and position; of point 0: 1.
    std::vector<std::string> warnings;      ///< Of the experiments, each once.
    std::string only_runner;                ///< Of the last point that this program cannot run.
};
/// Errors: core::InputError at the value of the axis, or in the file that is wrong.
[[nodiscard]] AxisSizes read_axis_sizes(const SweepSpec& sweep,
                                        const SweepPoints& points,
                                        PointExperiments& experiments,
                                        const TableForm& tables,
                                        const sim::RunControl& control);

/// Reads one experiment for each value of each axis, and resolves every point, in threads. A
/// point's size is the product of what its values change. Its tables are in the form `tables`.
/// Returns: a plan without keys when it was interrupted.
/// Errors:  as read_axis_sizes().
[[nodiscard]] SweepPlan plan_sweep(const SweepSpec& sweep,
                                   const SweepPoints& points,
                                   PointExperiments& experiments,
                                   const TableForm& tables,
                                   unsigned threads,
                                   ProgressView* progress,
                                   const sim::RunControl& control);

}  // namespace berth::experiments
