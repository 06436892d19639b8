#pragma once

#include <optional>
#include <span>

#include "core/device_allocator/device_view.hpp"

namespace berth::core {

/// Chooses the primary's devices so that an allocation is found whenever there is one, and of all
/// allocations one with the best locality. In this order: the tightest scope that holds the
/// primary's devices; the greatest share of its PCIe switches that have each of the secondaries
/// on them; the fewest secondaries off its NUMA nodes; the fewest PCIe switches; the smallest NUMA
/// nodes and switches touched that nobody used so far; the best score of a shared GPU; the lowest
/// minors. The secondaries are then chosen beside them, which is the best for this primary.
///
/// Where the machine has a partition table, GPUs come by partition if one will do; in the same
/// order, then in the table's.
///
/// Cost:    devices on one switch are interchangeable, and switches with equal figures, too: a
///          branch-and-bound over how many switches of each kind are used. About 2 us with 16
///          devices, 200 us with 64 on as many switches, half of them in use.
/// Returns: nothing when there is no allocation.
/// Limits:  what is found is the best unless 100,000 beginnings did not suffice, on machines of
///          dozens of switches. A secondary that is a GPU with a required scope is placed after the
///          primary, which without SamePCIe may not be the best for both.
[[nodiscard]] std::optional<DevicePicks> choose_exactly(const DeviceQuestion& question,
                                                        DeviceType primary,
                                                        std::span<const DeviceType> secondaries);

}  // namespace berth::core
