#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/device_allocator/default_order.hpp"

namespace berth::core {

/// The greedy choice of GPUs: by the partition table, else by topology, else by order.
/// `allowed`: only these GPUs are looked at.
[[nodiscard]] DeviceChoice choose_gpus(const DeviceQuestion& question,
                                       DeviceCount count,
                                       DeviceMask allowed);

/// Chooses the tightest scope that has room; of equal ones, the one with the most scopes around it
/// in use; within it, as few switches as possible.
/// `count` is at most 64.
[[nodiscard]] DeviceChoice choose_gpus_by_topology(const DeviceQuestion& question,
                                                   DeviceCount count,
                                                   DeviceMask allowed);

/// A partition that the pod can have, and its value.
struct FeasiblePartition {
    const PlacedPartition* partition = nullptr;
    std::size_t group = 0;  ///< 0: the group with the preferred score.
    Amount left = 0;        ///< The weight of the partitions that would stay whole.
};

/// The partitions that the pod can have, by group and in the order of the table, or why there are
/// none.
/// `first_group_only`: once a group has one, the other groups are not looked at.
[[nodiscard]] std::variant<std::vector<FeasiblePartition>, DeviceFailure> feasible_partitions(
    const DeviceQuestion& question, DeviceMask allowed, bool first_group_only);

/// The partition that leaves the most of the table whole; of equal ones, the first in the table.
[[nodiscard]] DeviceChoice choose_partition(const DeviceQuestion& question, DeviceMask allowed);

/// What rules out a search by topology, if anything does.
[[nodiscard]] std::optional<DeviceFailure> topology_failure(const DeviceQuestion& question);

}  // namespace berth::core
