#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/results/verdict.hpp"

namespace berth::report {

/// Every metric at a point, or averaged over some, replication by replication: what compare_tables
/// takes. It has no rows where the points have no seeds in common.
[[nodiscard]] ReplicationTable table_of(const SweepDirectory& sweep,
                                        const std::vector<std::size_t>& points);

/// What two points were given alike.
[[nodiscard]] Alike alike(const SweepDirectory& sweep, std::size_t one, std::size_t other);

/// `load 0.9, policy fgd`: the axes that vary, or all where none does.
[[nodiscard]] std::string point_name(const SweepDirectory& sweep, std::size_t point);

}  // namespace berth::report
