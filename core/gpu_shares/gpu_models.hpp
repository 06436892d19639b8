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

/// The devices of a machine type that belong together: its NVLink islands, or else its NUMA nodes,
/// or else all of them.
[[nodiscard]] std::vector<DeviceMask> gpu_islands(const MachineType& type);

/// Chooses `count` wholly free devices for one pod so that islands stay whole: from the island with
/// the fewest free ones that has enough; if none has enough, from those with the most, one after
/// the other.
/// Order: equal islands in their order, devices by number.
/// Errors: fewer free devices than `count` abort.
[[nodiscard]] DeviceMask choose_by_island(std::span<const GpuMilli> free,
                                          std::span<const DeviceMask> islands,
                                          std::size_t count);

/// The GPU models of a cluster, numbered; what each machine type has, and who accepts which.
class GpuModels {
public:
    explicit GpuModels(const Topology& topology);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    /// The model of a machine type; a type without GPUs has that of the empty name.
    [[nodiscard]] std::uint32_t of_machine_type(std::uint32_t type) const { return of_type_[type]; }
    /// GPUs of a machine type.
    [[nodiscard]] std::uint32_t device_count(std::uint32_t type) const { return devices_[type]; }
    /// Of a machine type: see gpu_islands().
    [[nodiscard]] std::span<const DeviceMask> islands(std::uint32_t type) const {
        return islands_[type];
    }
    /// By model: whether a pod that asks for GPUs accepts it.
    [[nodiscard]] std::vector<char> accepted(const GpuRequest& request) const;

private:
    std::vector<std::string> names_;
    std::vector<std::uint32_t> of_type_;
    std::vector<std::uint32_t> devices_;
    std::vector<std::vector<DeviceMask>> islands_;
};

}  // namespace berth::core
