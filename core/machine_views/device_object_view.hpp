#pragma once

#include <vector>

#include "core/device_allocator/device_inventory.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// Labels that the view gives to a device, for the selectors of pods and for the way back.
inline constexpr std::string_view model_label = "model";
inline constexpr std::string_view island_label = "nvlink";  ///< The number of the island.

/// A machine type as the device allocator sees it: the content of the Device object of such a
/// server.
///
/// Every device is healthy. A GPU has 100 of gpu-core and gpu-memory-ratio, and gpu-memory if it is
/// known; a NIC (`rdma`) and an FPGA have 100 of their own. Minors count from 0 in each type.
/// Values that are not known are made up, and are the same every time: UUIDs `GPU-0`, `FPGA-0`, and
/// PCI addresses, with one bus or more for each device and its virtual functions after it. A NIC's
/// UUID is its address.
///
/// A device has a topology if its NUMA node or its switch is known. The socket is the NUMA node.
/// Ids of PCIe switches are unique in the machine (device_places()). Devices of which only the NUMA
/// node is known count as being on one switch there, `numa0`, so that a request for a GPU and a NIC
/// on one switch gets them from one NUMA node.
///
/// Limits: devices of kinds other than gpu, rdma and fpga are in no Device object. NVLink islands
///         become labels and not a partition table.
[[nodiscard]] MachineDevices device_object_view(const MachineType& type);

/// The devices that a Device object describes, by minor, including unhealthy ones.
[[nodiscard]] std::vector<DeviceGroup> devices_of_device_object(const MachineDevices& machine);

}  // namespace berth::core
