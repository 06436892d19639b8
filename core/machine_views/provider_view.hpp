#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// One provider of a machine, in the words of OpenStack's placement service.
struct ProviderNode {
    std::string name;
    std::optional<std::size_t> parent;  ///< An index into the machine's list, before this one.
    std::map<std::string, Amount> inventory;  ///< The total of each resource class.
    std::vector<std::string> traits;          ///< Sorted.

    friend bool operator==(const ProviderNode&, const ProviderNode&) = default;
};

/// A machine type for allocation candidates: the tree of providers of one server of it.
///
///   SERVER                            VCPU, MEMORY_MB, DISK_GB (ephemeral-storage); its traits
///   SERVER_numa0                      HW_NUMA_ROOT
///   SERVER_numa0_pcie0                CUSTOM_PCIE_SWITCH
///   SERVER_numa0_pcie0_gpu_0          PGPU: 1; CUSTOM_GPU_H100, CUSTOM_NVLINK_0
///   SERVER_numa0_pcie0_rdma_0         SRIOV_NET_VF: 8
///
/// A device is below its PCIe switch, that below its NUMA node; what is not known is left out, so a
/// device of which nothing is known is a child of the server. Its resource class is `PGPU` (`VGPU`
/// when it has virtual functions, as many as those), `FPGA`, `SRIOV_NET_VF` for another kind with
/// virtual functions, and `CUSTOM_KIND` for one without. Its model is the trait
/// `CUSTOM_KIND_MODEL`, its NVLink island the trait `CUSTOM_NVLINK_NUMBER`, besides those that it
/// is said to have. VCPU, MEMORY_MB and DISK_GB are whole: fractions of the capacity are left out.
/// A total of 0 is no inventory. Where the number of NUMA nodes is told, VCPU and MEMORY_MB are
/// theirs and not the server's, each with as much as the others; what is left over is the first's.
///
/// Shape:  parents before children; the first is the server. `resources` is the schema of
///         `type.capacity`.
/// Source: Nova's providers for NUMA nodes, mediated devices and PCI devices, of which berth needs
///         this much; resource classes of os-resource-classes.
/// Limits: the memory of a device is in no provider; capacities other than cpu, memory and
///         ephemeral-storage are in none.
[[nodiscard]] std::vector<ProviderNode> provider_view(const MachineType& type,
                                                      const ResourceSchema& resources,
                                                      std::string_view server);

/// What a resource class of a machine's providers corresponds to among the machine's amounts.
struct ProviderClass {
    std::string name;
    std::size_t resource = 0;  ///< By the schema.
    Amount amount = 1;         ///< Of the resource, for `units` of the class.
    Amount units = 1;          ///< More than 1 of virtual functions: those of one device.
    bool devices = false;      ///< One provider for each device, not one for all.

    friend bool operator==(const ProviderClass&, const ProviderClass&) = default;
};
/// Those of provider_view() whose resource the schema has: cpu, memory and ephemeral-storage, then
/// a class for each group of devices. Two groups may be one class.
[[nodiscard]] std::vector<ProviderClass> provider_classes(const MachineType& type,
                                                          const ResourceSchema& resources);

}  // namespace berth::core
