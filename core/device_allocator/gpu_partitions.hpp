#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/tree/device_names.hpp"

namespace berth::core {

/// GPUs that a machine can hand out together at full bandwidth between them.
struct GpuPartition {
    std::vector<std::int32_t> minors;  ///< In the order in which they are handed out.
    std::int64_t allocation_score = 0;
    std::optional<Amount> ring_bus_bandwidth;
};

/// Partitions by the number of GPUs, in the order of the table.
using GpuPartitionTable = std::map<Amount, std::vector<GpuPartition>>;

/// The table of an eight-GPU Hopper machine: single GPUs, neighbours, halves, all.
[[nodiscard]] GpuPartitionTable hopper_partitions();

/// A partition of one machine, by index of its GPUs.
struct PlacedPartition {
    std::vector<std::size_t> gpus;  ///< In the order in which they are handed out.
    DeviceMask mask = 0;
    bool complete = true;  ///< Whether the machine has all its GPUs.
    std::int64_t score = 0;
    std::optional<Amount> ring_bus_bandwidth;
};

/// By number of GPUs: groups of equal score, ascending; inside of a group, the table's order.
using GroupedPartitions = std::map<Amount, std::vector<std::vector<PlacedPartition>>>;

/// `minors`: of the machine's GPUs, ascending. Numbers without partitions are left out.
[[nodiscard]] GroupedPartitions group_partitions(const GpuPartitionTable& table,
                                                 const std::vector<std::int32_t>& minors);

/// A pod's wishes about partitions. An absent spec leaves the choice to the machine.
struct GpuPartitionSpec {
    bool restricted = false;  ///< Only partitions of the first score.
    std::optional<Amount> ring_bus_bandwidth;
};

}  // namespace berth::core
