#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/device_names.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// How close together the devices of a pod are, in the ways that decide its speed.
struct Locality {
    bool pcie = false;        ///< All GPUs on one PCIe switch.
    bool nvlink = false;      ///< All GPUs on one NVLink island.
    bool numa = false;        ///< All GPUs on one NUMA node.
    bool nic_beside = false;  ///< A NIC of the pod on the switch of each of its GPUs.

    friend bool operator==(const Locality&, const Locality&) = default;
};

/// Where the GPUs and NICs of a machine type sit.
class MachineLayout {
public:
    /// Of more than 64 GPUs or NICs those beyond are not looked at.
    explicit MachineLayout(const MachineType& type);

    [[nodiscard]] std::size_t gpu_count() const { return gpu_count_; }
    [[nodiscard]] std::size_t nic_count() const { return nic_count_; }

    [[nodiscard]] Locality locality(DeviceMask gpus, DeviceMask nics) const;
    /// The best that is possible for `gpu_count` GPUs and `nic_count` NICs of those that are free,
    /// each way by itself.
    [[nodiscard]] Locality attainable(DeviceMask free_gpus,
                                      DeviceMask free_nics,
                                      std::size_t gpu_count,
                                      std::size_t nic_count) const;
    /// Free GPUs in the part of the machine that is least broken: how many of them share an NVLink
    /// island, or a NUMA node where islands are not known, on which every GPU is free.
    [[nodiscard]] std::size_t whole_free(DeviceMask free_gpus) const;

private:
    using Domains = std::vector<DeviceMask>;
    std::size_t gpu_count_ = 0;
    std::size_t nic_count_ = 0;
    Domains switches_;  ///< GPUs by PCIe switch, and so on; of a machine that tells none, none.
    Domains nics_on_switch_;
    Domains islands_;
    Domains numa_;
};

}  // namespace berth::core
