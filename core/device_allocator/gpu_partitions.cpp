#include "core/device_allocator/gpu_partitions.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <variant>

#include "core/device_allocator/device_locality.hpp"
#include "core/device_allocator/go_sort.hpp"
#include "core/device_allocator/gpu_choice.hpp"

namespace berth::core {
namespace {

using Groups = std::vector<std::vector<PlacedPartition>>;

/// The group of one size at this position, where position 0 has the preferred score.
const std::vector<PlacedPartition>& group_at(const DeviceQuestion& question,
                                             const Groups& groups,
                                             std::size_t position) {
    return question.rules.low_partition_score_first ? groups[position]
                                                    : groups[groups.size() - 1 - position];
}

/// The weight of the partitions in the table that would stay whole. It counts untouched partitions
/// of the preferred score that are at least as large as the pod's; larger ones count more.
Amount left_whole(const DeviceQuestion& question, Amount count, DeviceMask touched) {
    constexpr std::array<std::pair<Amount, Amount>, 3> weights{{{8, 10'000}, {4, 100}, {2, 1}}};
    Amount left = 0;
    for (const auto& [size, weight] : weights) {
        const auto groups = question.inventory.partitions()->find(size);
        if (size < count || groups == question.inventory.partitions()->end()) {
            continue;
        }
        for (const PlacedPartition& partition : group_at(question, groups->second, 0)) {
            left += (partition.mask & touched) == 0 ? weight * partition.score : 0;
        }
    }
    return left;
}

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

std::variant<std::vector<FeasiblePartition>, DeviceFailure> feasible_partitions(
    const DeviceQuestion& question, DeviceMask allowed, bool first_group_only) {
    const GroupedPartitions* table = question.inventory.partitions();
    if (table == nullptr) {
        return DeviceFailure{"node(s) missing GPU Partition Table", false};
    }
    const Amount count = question.plan.types[DeviceType::gpu].count;
    const auto groups = table->find(count);
    if (groups == table->end()) {
        return DeviceFailure{"node(s) Unsupported number of GPU requests", false};
    }
    const DevicesOfType& gpus = question.inventory.of(DeviceType::gpu);
    const TypeView& view = question.views[DeviceType::gpu];
    const auto& spec = question.plan.partition_spec;
    const auto is_feasible = [&](const PlacedPartition& partition) {
        const DeviceMask usable = question.rules.partitions_ignore_request
                                      ? view.kept & gpus.healthy
                                      : view.fits & allowed;
        return partition.complete && (partition.mask & view.in_use) == 0 &&
               (partition.mask & ~usable) == 0 &&
               (question.rules.partitions_ignore_request ||
                meets_scope(gpus, partition.mask, question.plan.required_scope)) &&
               (!spec || !spec->ring_bus_bandwidth ||
                (partition.ring_bus_bandwidth &&
                 *spec->ring_bus_bandwidth <= *partition.ring_bus_bandwidth));
    };
    std::vector<FeasiblePartition> feasible;
    for (std::size_t group = 0; group < groups->second.size(); ++group) {
        for (const PlacedPartition& partition : group_at(question, groups->second, group)) {
            if (is_feasible(partition)) {
                const DeviceMask touched = view.in_use | partition.mask;
                feasible.push_back({&partition, group, left_whole(question, count, touched)});
            }
        }
        if ((first_group_only && !feasible.empty()) || (spec && spec->restricted)) {
            break;
        }
    }
    if (feasible.empty()) {
        return DeviceFailure{"Insufficient Partitioned GPU Devices"};
    }
    return feasible;
}

DeviceChoice choose_partition(const DeviceQuestion& question, DeviceMask allowed) {
    auto feasible = feasible_partitions(question, allowed, true);
    if (const auto* failure = std::get_if<DeviceFailure>(&feasible)) {
        return *failure;
    }
    auto& list = std::get<std::vector<FeasiblePartition>>(feasible);
    // Of equal partitions the first in the table is taken; the program's sort exchanges them if
    // there are many.
    auto best = std::ranges::max_element(list, {}, &FeasiblePartition::left);
    if (question.rules.equal_partitions_are_exchanged) {
        std::vector<std::size_t> order(list.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        go_sort(order, [&](std::size_t a, std::size_t b) { return list[a].left > list[b].left; });
        best = list.begin() + static_cast<std::ptrdiff_t>(order.front());
    }
    DevicePicks picks;
    for (const std::size_t gpu : best->partition->gpus) {
        picks.add(gpu);
    }
    picks.with_functions = !question.rules.gpus_come_without_functions;
    return picks;
}

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
