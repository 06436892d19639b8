#pragma once

#include <vector>

#include "experiments/sweep/point_experiments.hpp"
#include "experiments/sweep/points.hpp"
#include "sim/simulation.hpp"

namespace berth::experiments {

/// What is known of a sweep's points before any of them runs.
struct SweepPlan {
    std::vector<PointKey> keys;
    /// By point, larger for what is expected to run longer; see size_estimate().
    std::vector<double> sizes;
    std::vector<std::string> warnings;  ///< Of the experiments, each once.
};

/// Resolves every point, in threads, and reads one for each value of each axis: what is wrong with
/// a value shows before the first point runs. A point's size is then the product of what its values
/// change.
/// Returns: a plan with fewer keys than points when it was interrupted.
/// Errors:  core::InputError at the value of the axis, or in the file that is wrong.
[[nodiscard]] SweepPlan plan_sweep(const SweepSpec& sweep,
                                   const SweepPoints& points,
                                   PointExperiments& experiments,
                                   unsigned threads,
                                   const sim::RunControl& control);

}  // namespace berth::experiments
