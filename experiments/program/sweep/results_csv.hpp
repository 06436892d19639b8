#pragma once

#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// Writes results.csv from the points' folders, `AXIS...,replication,seed,METRIC...`: one row a
/// point and replication, of the points that are there. Metrics are those of all points, in the
/// order in which points have them; a metric named as an axis has `_metric` behind its name.
/// Returns: how many points are missing.
/// Errors:  core::InputError when a point's replications.csv is none; std::system_error while
///          writing, and then the file is what it was.
/// Cost:    memory for the rows of one point, and for the names of metrics.
std::size_t write_results_csv(const SweepSpec& sweep,
                              const SweepPoints& points,
                              const std::vector<PointKey>& keys,
                              const SweepDirectory& directory);

}  // namespace berth::experiments
