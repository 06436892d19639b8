#pragma once

#include "core/device_allocator/device_inventory.hpp"
#include "core/device_allocator/device_state.hpp"

namespace berth::core {

/// The tightest scope that holds all of these devices of one type: device for a single one, else
/// pcie, numa_node or machine. Devices without a topology share only the machine.
[[nodiscard]] TopologyScope common_scope(const DevicesOfType& devices, DeviceMask chosen);

/// Whether the devices are as near to each other as required.
[[nodiscard]] bool meets_scope(const DevicesOfType& devices,
                               DeviceMask chosen,
                               TopologyScope required);

/// How near a pod's devices are to each other.
struct DeviceLocality {
    TopologyScope gpu_scope = TopologyScope::machine;  ///< pcie, numa_node or machine.
    std::size_t gpu_count = 0;
    std::size_t gpu_switch_count = 0;  ///< The number of PCIe switches with GPUs of the pod.
    std::size_t gpu_numa_count = 0;
    /// The number of these switches that also have a NIC of the pod.
    std::size_t switches_with_nic = 0;
    bool every_gpu_has_nic_beside = true;  ///< The NIC is on the GPU's switch; true without GPUs.

    friend bool operator==(const DeviceLocality&, const DeviceLocality&) = default;
};

[[nodiscard]] DeviceLocality device_locality(const DeviceInventory& inventory,
                                             const DeviceAllocation& allocation);

/// The devices of a grant as a set.
[[nodiscard]] DeviceMask mask_of(const DeviceGrants& grants);

}  // namespace berth::core
