#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/tree/device_names.hpp"

namespace berth::core {

/// GPUs that a machine can hand out together with full bandwidth between them.
struct GpuPartition {
    std::vector<std::int32_t> minors;  ///< The GPUs in the order in which they are handed out.
    std::int64_t allocation_score = 0;
    std::optional<Amount> ring_bus_bandwidth;
};

/// Partitions by the number of GPUs, in the order of the table.
using GpuPartitionTable = std::map<Amount, std::vector<GpuPartition>>;

/// The table of a Hopper machine with eight GPUs: single GPUs, neighbours, halves, all.
[[nodiscard]] GpuPartitionTable hopper_partitions();

/// A partition of one machine, with the indices of its GPUs.
struct PlacedPartition {
    std::vector<std::size_t> gpus;  ///< The GPUs in the order in which they are handed out.
    DeviceMask mask = 0;
    bool complete = true;  ///< Whether the machine has all its GPUs.
    std::int64_t score = 0;
    std::optional<Amount> ring_bus_bandwidth;
};

/// For each number of GPUs: groups of equal score in ascending order, and within a group the order
/// of the table.
using GroupedPartitions = std::map<Amount, std::vector<std::vector<PlacedPartition>>>;

/// `minors` are those of the machine's GPUs, ascending. Numbers of GPUs without partitions are left
/// out.
[[nodiscard]] GroupedPartitions group_partitions(const GpuPartitionTable& table,
                                                 const std::vector<std::int32_t>& minors);

/// A pod's wishes about partitions. Without a spec the choice is up to the machine.
struct GpuPartitionSpec {
    bool restricted = false;  ///< Restricts the choice to partitions with the preferred score.
    std::optional<Amount> ring_bus_bandwidth;
};

}  // namespace berth::core
