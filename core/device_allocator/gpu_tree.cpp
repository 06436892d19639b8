#include "core/device_allocator/gpu_tree.hpp"

#include <map>
#include <string_view>

namespace berth::core {

GpuScope make_gpu_tree(std::span<const GpuPlace> places, DeviceMask all) {
    std::map<std::int32_t, std::map<std::string_view, DeviceMask>> by_numa;
    for (const GpuPlace& place : places) {
        by_numa[place.numa][place.pcie] |= bit(place.gpu);
    }
    GpuScope machine{TopologyScope::machine, all, {}};
    for (const auto& [number, switches] : by_numa) {
        GpuScope numa{TopologyScope::numa_node, 0, {}};
        for (const auto& [name, gpus] : switches) {
            numa.gpus |= gpus;
            numa.inside.push_back({TopologyScope::pcie, gpus, {}});
        }
        machine.inside.push_back(std::move(numa));
    }
    return machine;
}

}  // namespace berth::core
