#pragma once

#include <span>
#include <vector>

#include "core/tree/device_names.hpp"

namespace berth::core {

/// How near to each other devices have to be. Each value includes the tighter ones after it.
enum class TopologyScope : std::uint8_t { unset, unknown, machine, numa_node, pcie, device };

/// One scope of a machine's GPUs, and the scopes inside it.
struct GpuScope {
    TopologyScope scope = TopologyScope::machine;
    DeviceMask gpus = 0;
    std::vector<GpuScope> inside;  ///< NUMA nodes by number, PCIe switches by name.
};

/// Where a GPU sits. `numa` is ordered by number and `pcie` as text, so that "10" precedes "2".
struct GpuPlace {
    std::size_t gpu = 0;
    std::int32_t numa = 0;
    std::string_view pcie;
};

/// The tree of machine, NUMA nodes and PCIe switches. A switch is identified by its NUMA node and
/// its name.
/// `all`: every GPU that the machine has or once had.
[[nodiscard]] GpuScope make_gpu_tree(std::span<const GpuPlace> places, DeviceMask all);

}  // namespace berth::core
