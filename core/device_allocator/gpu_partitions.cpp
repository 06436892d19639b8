#include "core/device_allocator/gpu_partitions.hpp"

#include <algorithm>

namespace berth::core {
namespace {

PlacedPartition placed(const GpuPartition& partition, const std::vector<std::int32_t>& minors) {
    PlacedPartition out;
    out.score = partition.allocation_score;
    out.ring_bus_bandwidth = partition.ring_bus_bandwidth;
    for (const std::int32_t minor : partition.minors) {
        const auto at = std::ranges::lower_bound(minors, minor);
        if (at == minors.end() || *at != minor) {
            out.complete = false;
            continue;
        }
        out.gpus.push_back(static_cast<std::size_t>(at - minors.begin()));
        out.mask |= bit(out.gpus.back());
    }
    return out;
}

}  // namespace

GpuPartitionTable hopper_partitions() {
    GpuPartitionTable table;
    for (const std::int32_t size : {1, 2, 4, 8}) {
        for (std::int32_t first = 0; first < 8; first += size) {
            GpuPartition partition;
            for (std::int32_t minor = first; minor < first + size; ++minor) {
                partition.minors.push_back(minor);
            }
            partition.allocation_score = 1;
            table[size].push_back(std::move(partition));
        }
    }
    return table;
}

GroupedPartitions group_partitions(const GpuPartitionTable& table,
                                   const std::vector<std::int32_t>& minors) {
    GroupedPartitions grouped;
    for (const auto& [count, partitions] : table) {
        std::map<std::int64_t, std::vector<PlacedPartition>> by_score;
        for (const GpuPartition& partition : partitions) {
            by_score[partition.allocation_score].push_back(placed(partition, minors));
        }
        for (auto& [score, group] : by_score) {
            grouped[count].push_back(std::move(group));
        }
    }
    return grouped;
}

}  // namespace berth::core
