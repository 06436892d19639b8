#pragma once

#include <fmt/format.h>
#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

#include "core/machine_views/provider_terms.hpp"
#include "sim/job/job.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

inline core::ResourceSchema cloud_schema() {
    core::ResourceSchema schema;
    for (const char* name : {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "nic"}) {
        schema.add(name);
    }
    return schema;
}

/// A machine with few CPUs, with or without NUMA nodes, GPUs, NICs with functions and a disk.
inline core::MachineType random_host(Dice& dice, const std::string& name) {
    core::MachineType type{name, core::Amounts::Zero(5), {}};
    constexpr core::Amount mebi = 1 << 20;
    constexpr core::Amount gibi = 1 << 30;
    type.capacity[0] = dice.roll(1, 16) * 500;
    type.capacity[1] = dice.roll(1, 16) * mebi;
    type.capacity[2] = dice.roll(0, 6) * gibi;
    type.numa_nodes = dice.roll(0, 3);
    const auto add = [&](const std::string& kind, Eigen::Index resource, core::Amount each) {
        core::DeviceGroup& group = type.devices.emplace_back();
        group.kind = kind;
        group.count = dice.roll(1, 3);
        for (std::int64_t i = 0; i < group.count && type.numa_nodes > 0; ++i) {
            group.numa.push_back(dice.roll(0, type.numa_nodes - 1));
        }
        type.capacity[resource] = group.count * each;
        return &group;
    };
    if (dice.chance(50)) {
        add("gpu", 3, 1000)->virtual_functions = dice.chance(30) ? 3 : 0;
    }
    if (dice.chance(50)) {
        core::DeviceGroup& nics = *add("nic", 4, 1);
        nics.virtual_functions = dice.roll(1, 4);
        for (std::int64_t i = 0; i < nics.count; ++i) {
            nics.traits.push_back({fmt::format("CUSTOM_PHYSNET{}", dice.roll(1, 2))});
        }
    }
    if (dice.chance(30)) {
        type.traits = {"COMPUTE_VOLUME_MULTI_ATTACH"};
    }
    return type;
}

/// A few racks of different servers, which may share disks and licenses.
inline std::shared_ptr<const core::Topology> random_cloud(Dice& dice) {
    core::TopologyBuilder builder(cloud_schema());
    const std::int64_t types = dice.roll(1, 3);
    for (std::int64_t type = 0; type < types; ++type) {
        builder.add_machine_type(random_host(dice, fmt::format("type-{}", type)));
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    const auto racks = static_cast<std::uint32_t>(dice.roll(1, 3));
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("rack-{}", rack));
    }
    builder.begin_level("server");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        for (std::int64_t server = dice.roll(1, 3); server > 0; --server) {
            builder.add_server(rack,
                               fmt::format("server-{}-{}", rack, server),
                               static_cast<std::uint32_t>(dice.roll(0, types - 1)));
        }
    }
    std::vector<core::SharedProvider> shared;
    const auto level = [&] { return core::Level{static_cast<std::uint32_t>(dice.roll(0, 1))}; };
    if (dice.chance(60)) {
        shared.push_back({"ss", level(), {{"DISK_GB", {.total = dice.roll(1, 12)}}}, {}});
    }
    if (dice.chance(40)) {
        const core::Amount most = dice.roll(1, 6);
        shared.push_back({"tool",
                          level(),
                          {{"CUSTOM_LICENSE", {.total = dice.roll(1, 8), .max_unit = most}}},
                          {"CUSTOM_LICENSES"}});
    }
    return std::make_shared<const core::Topology>(
        core::TopologyBuilder::with_shared_providers(builder.build(), std::move(shared)));
}

/// A query that asks for small amounts of what random_cloud() has.
inline std::string random_pod_query(Dice& dice) {
    const auto cpu = [&] { return fmt::format("VCPU:{}", dice.roll(1, 3)); };
    const auto both = [&] { return fmt::format("{},MEMORY_MB:{}", cpu(), dice.roll(1, 3)); };
    const auto disk = [&] { return fmt::format("DISK_GB:{}", dice.roll(1, 3)); };
    const std::string policy = dice.chance(50) ? "isolate" : "none";
    switch (dice.roll(0, 9)) {
        case 0:
            return "resources=" + cpu();
        case 1:
            return fmt::format("resources={},{}", both(), disk());
        case 2:
            return fmt::format("resources={}&resources_A={}", disk(), both());
        case 3:
            return fmt::format(
                "resources_A={}&resources_B={}&group_policy={}", cpu(), cpu(), policy);
        case 4:
            return fmt::format(
                "resources_A={}&resources_B={}&group_policy={}", disk(), disk(), policy);
        case 5:
            return fmt::format("resources={}&resources_G=PGPU:1&resources_H=PGPU:1&group_policy={}",
                               both(),
                               policy);
        case 6:
            return fmt::format(
                "resources={}&resources_N=SRIOV_NET_VF:1&required_N=CUSTOM_PHYSNET{}",
                cpu(),
                dice.roll(1, 2));
        case 7:
            return fmt::format(
                "resources_C={}&resources_N=SRIOV_NET_VF:1&required_R=HW_NUMA_ROOT&group_policy="
                "none"
                "&same_subtree=_C,_N,_R",
                cpu());
        case 8:
            return fmt::format(
                "resources=VGPU:{}{}",
                dice.roll(1, 2),
                dice.chance(50) ? "&root_required=!COMPUTE_VOLUME_MULTI_ATTACH" : "");
        default:
            return fmt::format(
                "resources_L=CUSTOM_LICENSE:{}&resources={}", dice.roll(1, 3), disk());
    }
}

inline std::shared_ptr<const sim::PodQuery> pod_query(const std::string& text) {
    return std::make_shared<const sim::PodQuery>(
        sim::PodQuery{text, std::get<core::CandidateQuery>(core::parse_candidate_query(text))});
}

}  // namespace berth::tests
