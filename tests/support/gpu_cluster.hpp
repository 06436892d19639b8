#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::tests {

/// One server with GPUs; equal servers share one machine type.
struct GpuMachine {
    std::string name;
    core::Amount cpu_milli = 0;
    core::Amount memory_mib = 0;
    std::int64_t gpus = 0;
    std::string model{};
};

/// A cluster of these servers in racks of `per_rack`; 0 puts them directly below the root.
/// Resources: cpu, memory, nvidia.com/gpu.
inline std::shared_ptr<const core::Topology> gpu_cluster(const std::vector<GpuMachine>& machines,
                                                         std::size_t per_rack = 0) {
    core::ResourceSchema schema;
    for (const char* resource : {"cpu", "memory", "nvidia.com/gpu"}) {
        schema.add(resource);
    }
    core::TopologyBuilder builder(schema);
    std::vector<std::uint32_t> types;
    for (const GpuMachine& machine : machines) {
        core::MachineType type;
        type.name = machine.name;
        type.capacity = core::Amounts(3);
        type.capacity << machine.cpu_milli, machine.memory_mib << 20, machine.gpus * 1000;
        core::DeviceGroup gpus;
        gpus.kind = "gpu";
        gpus.count = machine.gpus;
        gpus.model = machine.model;
        if (machine.gpus > 0) {
            type.devices.push_back(gpus);
        }
        types.push_back(builder.add_machine_type(std::move(type)));
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    if (per_rack > 0) {
        builder.begin_level("rack");
        for (std::size_t rack = 0; rack * per_rack < machines.size(); ++rack) {
            builder.add_node(0, fmt::format("rack-{}", rack));
        }
    }
    builder.begin_level("server");
    for (std::size_t i = 0; i < machines.size(); ++i) {
        const std::size_t parent = per_rack > 0 ? i / per_rack : 0;
        builder.add_server(static_cast<std::uint32_t>(parent), machines[i].name, types[i]);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

}  // namespace berth::tests
