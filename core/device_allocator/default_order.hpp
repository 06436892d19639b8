#pragma once

#include "core/device_allocator/device_view.hpp"

namespace berth::core {

/// Where the primary's devices are: what secondaries should be near to.
struct PrimaryPlace {
    DeviceMask switches = 0;
    DeviceMask numa_nodes = 0;  ///< None: not looked at.
    /// Rounds are dealt over devices that cannot be picked, too, and those are then skipped: a
    /// switch whose first NIC is full is served a round later.
    bool deals_blindly = false;
};

/// How many devices to pick: at least `desired`, and up to `most` as they come.
struct DeviceCount {
    Amount desired = 1;
    Amount most = 1;
};

/// Picks devices one by one: the best score first, then the lowest minor.
///
/// Order:  with a place, one device of each of its switches, then a second one of each, ...; then
///         its NUMA nodes; then the rest of the machine.
/// `allowed`: no other devices are looked at.
/// Returns: a failure when fewer than `desired` are found.
[[nodiscard]] DeviceChoice choose_by_order(const DeviceQuestion& question,
                                           DeviceType type,
                                           DeviceCount count,
                                           const PrimaryPlace* place,
                                           DeviceMask allowed);

}  // namespace berth::core
