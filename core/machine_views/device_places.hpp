#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// Where one device of a machine sits. What is absent is not known.
struct DevicePlace {
    std::optional<std::int64_t> numa;
    std::optional<std::string> pcie;    ///< The switch's id, which is unique in the machine.
    std::optional<std::size_t> island;  ///< The NVLink island within the device's group.

    friend bool operator==(const DevicePlace&, const DevicePlace&) = default;
};

/// The places of a machine's devices, by group and by device within it.
///
/// PCIe switches are identified by NUMA node and number: a number that two NUMA nodes use means two
/// switches. If there is such a number, all ids are `NUMA-NUMBER`; otherwise they are just the
/// number. A device whose NUMA node is not known is on the switch with its number if only one NUMA
/// node uses that number, and otherwise on a switch of its own, `x-NUMBER`.
[[nodiscard]] std::vector<std::vector<DevicePlace>> device_places(
    const std::vector<DeviceGroup>& groups);

/// The number of the switch to which `device_places` gave this id: 1 for `1`, `0-1` and `x-1`.
[[nodiscard]] std::optional<std::int64_t> pcie_number(std::string_view id);

/// The whole number that a text stands for; nothing if it is none or is negative.
[[nodiscard]] std::optional<std::int64_t> natural_number(std::string_view text);

/// One device as a view of a machine shows it.
struct SeenDevice {
    std::string kind;
    std::int64_t index = 0;  ///< The devices of a kind are ordered by it.
    std::string model;
    Amount memory_bytes = 0;
    std::int64_t virtual_functions = 0;
    std::optional<std::int64_t> numa;
    std::string pcie;    ///< The switch's id, or "".
    std::string island;  ///< The NVLink island's name, or "".
    /// The traits other than those that tell the model and the island.
    std::vector<std::string> traits{};
};

/// The groups of a machine type that these devices form, in the order in which their kinds appear.
/// Devices of one kind form one group and are numbered by their index.
///
/// A group has one model, one amount of memory and one number of virtual functions; it has none of
/// a value that differs between its devices. NUMA nodes and switches are known for a group if they
/// are known for each of its devices. Switches keep their numbers if every id is one of
/// `device_places`; otherwise they are numbered in the order of appearance. Islands are in the
/// order of their names, with shorter ones first, so that 10 follows 9.
[[nodiscard]] std::vector<DeviceGroup> device_groups(std::vector<SeenDevice> devices);

}  // namespace berth::core
