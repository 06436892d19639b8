#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {

/// One provider of a machine, in the terms of OpenStack's placement service.
struct ProviderNode {
    std::string name;
    /// An index into the machine's list that is less than this node's own.
    std::optional<std::size_t> parent;
    std::map<std::string, Amount> inventory;  ///< The total of each resource class.
    std::vector<std::string> traits;          ///< Sorted.

    friend bool operator==(const ProviderNode&, const ProviderNode&) = default;
};

/// A machine type as allocation candidates see it: the tree of providers of one server of the type.
///
///   SERVER                            VCPU, MEMORY_MB, DISK_GB (ephemeral-storage); its traits
///   SERVER_numa0                      HW_NUMA_ROOT
///   SERVER_numa0_pcie0                CUSTOM_PCIE_SWITCH
///   SERVER_numa0_pcie0_gpu_0          PGPU: 1; CUSTOM_GPU_H100, CUSTOM_NVLINK_0
///   SERVER_numa0_pcie0_rdma_0         SRIOV_NET_VF: 8
///
/// A device is below its PCIe switch, and that is below its NUMA node. What is not known is left
/// out, so a device of which nothing is known is a child of the server. Its resource class is
/// `PGPU` (`VGPU` if it has virtual functions, with as many units), `FPGA`, `SRIOV_NET_VF` for
/// another kind with virtual functions, and `CUSTOM_KIND` for one without. Its model is the trait
/// `CUSTOM_KIND_MODEL` and its NVLink island the trait `CUSTOM_NVLINK_NUMBER`, in addition to the
/// traits that it is said to have. VCPU, MEMORY_MB and DISK_GB are whole numbers: fractions of the
/// capacity are left out. A total of 0 is no inventory. If the number of NUMA nodes is known, they
/// have VCPU and MEMORY_MB in place of the server, in equal parts; the remainder goes to the first
/// one.
///
/// Shape:  parents come before their children, and the first node is the server. `resources` is the
///         schema of `type.capacity`.
/// Source: Nova's providers for NUMA nodes, mediated devices and PCI devices, of which berth needs
///         this much; resource classes of os-resource-classes.
/// Limits: the memory of a device is in no provider, and neither are capacities other than cpu,
///         memory and ephemeral-storage.
[[nodiscard]] std::vector<ProviderNode> provider_view(const MachineType& type,
                                                      const ResourceSchema& resources,
                                                      std::string_view server);

/// What a resource class of a machine's providers stands for among the machine's amounts.
struct ProviderClass {
    std::string name;
    std::size_t resource = 0;  ///< The number of the resource in the schema.
    Amount amount = 1;         ///< The amount of the resource in `units` of the class.
    Amount units = 1;          ///< More than 1 for virtual functions: those of one device.
    bool devices = false;      ///< There is one provider for each device, not one for all.

    friend bool operator==(const ProviderClass&, const ProviderClass&) = default;
};
/// The classes of provider_view() whose resource is in the schema: cpu, memory and
/// ephemeral-storage, then a class for each group of devices. Two groups may have the same class.
[[nodiscard]] std::vector<ProviderClass> provider_classes(const MachineType& type,
                                                          const ResourceSchema& resources);

}  // namespace berth::core
