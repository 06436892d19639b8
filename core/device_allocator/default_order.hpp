#pragma once

#include "core/device_allocator/device_view.hpp"

namespace berth::core {

/// Where the primary's devices are. The secondaries should be near to these places.
struct PrimaryPlace {
    DeviceMask switches = 0;
    DeviceMask numa_nodes = 0;  ///< None: NUMA nodes do not matter.
    /// Rounds are dealt over all devices, including those that cannot be picked, which are then
    /// skipped: a switch whose first NIC is full is served a round later.
    bool deals_blindly = false;
};

/// How many devices to pick: at least `desired`, and up to `most` if there are that many.
struct DeviceCount {
    Amount desired = 1;
    Amount most = 1;
};

/// Picks devices one by one: the best score first, then the lowest minor.
///
/// Order: with a place, first one device of each of its switches, then a second one of each, and so
///        on; then devices of its NUMA nodes; then the rest of the machine.
/// `allowed`: only these devices are looked at.
/// Returns: a failure if fewer than `desired` are found.
[[nodiscard]] DeviceChoice choose_by_order(const DeviceQuestion& question,
                                           DeviceType type,
                                           DeviceCount count,
                                           const PrimaryPlace* place,
                                           DeviceMask allowed);

}  // namespace berth::core
