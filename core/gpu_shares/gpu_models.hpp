#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/gpu_shares/gpu_sets.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// The groups of connected GPUs of a machine type: its NVLink islands, or else its NUMA nodes, or
/// else all GPUs together.
[[nodiscard]] std::vector<DeviceMask> gpu_islands(const MachineType& type);

/// Chooses `count` wholly free devices for one pod so that islands stay whole. They come from the
/// island with the fewest free devices that has enough; if none has enough, from the islands with
/// the most free devices, one after the other.
/// Order:  equal islands in their order, devices by number.
/// Errors: fewer free devices than `count` abort.
[[nodiscard]] DeviceMask choose_by_island(std::span<const GpuMilli> free,
                                          std::span<const DeviceMask> islands,
                                          std::size_t count);

/// The GPU models of a cluster, numbered: which model each machine type has, and which models a
/// request accepts.
class GpuModels {
public:
    explicit GpuModels(const Topology& topology);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The model of a machine type. The model of a type without GPUs is the one with the empty
    /// name.
    [[nodiscard]] std::uint32_t of_machine_type(std::uint32_t type) const { return of_type_[type]; }
    /// The number of GPUs of a machine type.
    [[nodiscard]] std::uint32_t device_count(std::uint32_t type) const { return devices_[type]; }
    /// The islands of a machine type: see gpu_islands().
    [[nodiscard]] std::span<const DeviceMask> islands(std::uint32_t type) const {
        return islands_[type];
    }
    /// For each model: whether a pod with this request accepts it.
    [[nodiscard]] std::vector<char> accepted(const GpuRequest& request) const;

private:
    std::vector<std::string> names_;
    std::vector<std::uint32_t> of_type_;
    std::vector<std::uint32_t> devices_;
    std::vector<std::vector<DeviceMask>> islands_;
};

}  // namespace berth::core
