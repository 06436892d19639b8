#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// Where one device of a machine sits; what is absent is not known.
struct DevicePlace {
    std::optional<std::int64_t> numa;
    std::optional<std::string> pcie;    ///< The switch's id, unique in the machine.
    std::optional<std::size_t> island;  ///< Of NVLink, within the device's group.

    friend bool operator==(const DevicePlace&, const DevicePlace&) = default;
};

/// The places of a machine's devices, by group and by device within it.
///
/// PCIe switches are told apart by NUMA node and number: a number that two NUMA nodes use is two
/// switches. Then all ids are `NUMA-NUMBER`, else just the number. A device whose NUMA node is not
/// known is on the switch of its number if only one NUMA node uses that number, and otherwise on a
/// switch of its own, `x-NUMBER`.
[[nodiscard]] std::vector<std::vector<DevicePlace>> device_places(
    const std::vector<DeviceGroup>& groups);

/// The number of the switch that `device_places` gave this id: 1 for `1`, `0-1` and `x-1`.
[[nodiscard]] std::optional<std::int64_t> pcie_number(std::string_view id);

/// A whole number that is not negative, or nothing.
[[nodiscard]] std::optional<std::int64_t> natural_number(std::string_view text);

/// One device as a view of a machine shows it.
struct SeenDevice {
    std::string kind;
    std::int64_t index = 0;  ///< Orders the devices of a kind.
    std::string model;
    Amount memory_bytes = 0;
    std::int64_t virtual_functions = 0;
    std::optional<std::int64_t> numa;
    std::string pcie;                   ///< The switch's id, or "".
    std::string island;                 ///< The NVLink island's name, or "".
    std::vector<std::string> traits{};  ///< Besides those that say the model and the island.
};

/// The groups of a machine type that these devices make, in the order in which kinds come. Devices
/// of one kind are one group, numbered by their index.
///
/// A group has one model, amount of memory and number of virtual functions: of devices that differ,
/// none. NUMA nodes and switches are known for a group when they are for each of its devices.
/// Switches keep their numbers if every id is one of `device_places`; else they are numbered as
/// they come. Islands are in the order of their names: shorter ones first, so that 10 follows 9.
[[nodiscard]] std::vector<DeviceGroup> device_groups(std::vector<SeenDevice> devices);

}  // namespace berth::core
