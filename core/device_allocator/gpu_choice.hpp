#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/device_allocator/default_order.hpp"

namespace berth::core {

/// The greedy choice of GPUs: by the partition table, else by topology, else by order.
/// `allowed`: no other GPUs are looked at.
[[nodiscard]] DeviceChoice choose_gpus(const DeviceQuestion& question,
                                       DeviceCount count,
                                       DeviceMask allowed);

/// The tightest scope that has room, of those the one with most scopes in use around it; within
/// it as few switches as possible.
/// `count`: at most 64.
[[nodiscard]] DeviceChoice choose_gpus_by_topology(const DeviceQuestion& question,
                                                   DeviceCount count,
                                                   DeviceMask allowed);

/// A partition that the pod can have, and how much it is worth.
struct FeasiblePartition {
    const PlacedPartition* partition = nullptr;
    std::size_t group = 0;  ///< 0: the preferred score.
    Amount left = 0;        ///< The weight of the partitions that would stay whole.
};

/// The partitions that the pod can have, by group and table order, or why there are none.
/// `first_group_only`: as soon as a group has one, the others are not looked at.
[[nodiscard]] std::variant<std::vector<FeasiblePartition>, DeviceFailure> feasible_partitions(
    const DeviceQuestion& question, DeviceMask allowed, bool first_group_only);

/// The partition that leaves most of the table whole, in the order of the table.
[[nodiscard]] DeviceChoice choose_partition(const DeviceQuestion& question, DeviceMask allowed);

/// What forbids a search by topology, if anything does.
[[nodiscard]] std::optional<DeviceFailure> topology_failure(const DeviceQuestion& question);

}  // namespace berth::core
