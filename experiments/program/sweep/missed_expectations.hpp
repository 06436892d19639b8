#pragma once

#include <vector>

#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// The finished points that miss expectations of their experiment (`spec.expect`), each with what
/// it misses, in the order of points.
/// Errors: core::InputError for an invalid summary.json of a point.
[[nodiscard]] std::vector<FailedPoint> missed_expectations(const std::vector<PointKey>& keys,
                                                           const SweepDirectory& directory);

}  // namespace berth::experiments
