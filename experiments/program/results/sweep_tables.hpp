#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/results/verdict.hpp"

namespace berth::report {

/// Every metric of every replication at a point, or averaged over several points, in the form that
/// compare_tables() takes. It has no rows if the points have no seeds in common.
[[nodiscard]] ReplicationTable table_of(const SweepDirectory& sweep,
                                        const std::vector<std::size_t>& points);

/// Whether two points have the same work and the same cluster.
[[nodiscard]] Alike alike(const SweepDirectory& sweep, std::size_t one, std::size_t other);

/// The name of a point, such as `load 0.9, policy fgd`, with the axes that vary, or with all if
/// none varies.
[[nodiscard]] std::string point_name(const SweepDirectory& sweep, std::size_t point);

}  // namespace berth::report
