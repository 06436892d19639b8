#pragma once

#include <vector>

#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// The points that are there and miss what their experiment expects (`spec.expect`), each with what
/// it misses, in the order of points.
/// Errors: core::InputError when a point's summary.json is none.
[[nodiscard]] std::vector<FailedPoint> missed_expectations(const std::vector<PointKey>& keys,
                                                           const SweepDirectory& directory);

}  // namespace berth::experiments
