#pragma once

#include <vector>

#include "core/device_allocator/device_inventory.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// Labels that the view gives a device, for selectors of pods and for the way back.
inline constexpr std::string_view model_label = "model";
inline constexpr std::string_view island_label = "nvlink";  ///< The island's number.

/// A machine type for the device allocator: what the Device object of such a server says.
///
/// Every device is healthy. A GPU has 100 of gpu-core and gpu-memory-ratio, and gpu-memory if it is
/// known; a NIC (`rdma`) and a FPGA have 100 of their own. Minors count from 0 in each type. What
/// is not known is made up, the same every time: UUIDs `GPU-0`, `FPGA-0`, and PCI addresses, a bus
/// or more for each device, with its virtual functions after it. A NIC's UUID is its address.
///
/// A device has a topology if its NUMA node or its switch is known. The socket is the NUMA node.
/// Ids of PCIe switches are unique in the machine (device_places()); devices of which only the NUMA
/// node is known count as being on one switch there, `numa0`, so that asking for a GPU and a NIC on
/// one switch gets them from one NUMA node.
///
/// Limits: devices of other kinds than gpu, rdma and fpga are in no Device object. NVLink islands
///         become labels, no partition table.
[[nodiscard]] MachineDevices device_object_view(const MachineType& type);

/// The devices that a Device object describes, by minor, unhealthy ones included.
[[nodiscard]] std::vector<DeviceGroup> devices_of_device_object(const MachineDevices& machine);

}  // namespace berth::core
