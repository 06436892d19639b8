#pragma once

#include <span>
#include <vector>

#include "core/gpu_shares/gpu_sets.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// The devices of a machine type that belong together: its NVLink islands, or else its NUMA nodes,
/// or else all of them.
[[nodiscard]] std::vector<DeviceMask> gpu_islands(const MachineType& type);

/// Chooses `count` wholly free devices for one pod so that islands stay whole: from the island with
/// the fewest free ones that has enough; if none has enough, from those with the most, one after
/// the other.
/// Order: equal islands in their order, devices by number.
/// Errors: fewer free devices than `count` abort.
[[nodiscard]] DeviceMask choose_by_island(std::span<const GpuMilli> free,
                                          std::span<const DeviceMask> islands,
                                          std::size_t count);

}  // namespace berth::core
