#include "topologies/writers.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/machine_views/device_object_view.hpp"
#include "core/machine_views/group_key_view.hpp"
#include "core/support/text.hpp"
#include "topologies/json_parts.hpp"

namespace berth::topologies {
namespace {

using core::DeviceDescription;

std::string amount_text(std::string_view resource, core::Amount amount) {
    const bool bytes = resource == core::device_resource::gpu_memory;
    constexpr core::Quantity billionths = 1'000'000'000;
    return json_quoted(core::format_quantity(bytes ? "memory" : "devices", amount * billionths));
}

std::string map_text(const std::vector<std::string>& entries) {
    return fmt::format("{{{}}}", core::join(entries, ", "));
}

std::string device_text(const DeviceDescription& device) {
    std::string text = fmt::format("  - type: {}\n    id: {}\n    minor: {}\n    health: true\n",
                                   core::to_string(device.type),
                                   json_quoted(device.uuid),
                                   device.minor);
    std::vector<std::string> entries;
    for (const auto& [name, label] : device.labels) {
        entries.push_back(fmt::format("{}: {}", name, json_quoted(label)));
    }
    if (!entries.empty()) {
        text += fmt::format("    labels: {}\n", map_text(entries));
    }
    entries.clear();
    for (const auto& [name, amount] : device.resources) {
        entries.push_back(fmt::format("{}: {}", name, amount_text(name, amount)));
    }
    text += fmt::format("    resources: {}\n", map_text(entries));
    if (device.topology) {
        text += fmt::format("    topology: {{socketID: {}, nodeID: {}, pcieID: {}, busID: {}}}\n",
                            device.topology->socket,
                            device.topology->numa_node,
                            json_quoted(device.topology->pcie),
                            json_quoted(device.topology->bus_id));
    }
    if (!device.vf_groups.empty()) {
        text += "    vfGroups:\n";
    }
    for (const core::VirtualFunctionGroup& group : device.vf_groups) {
        text += "    - vfs:\n";
        for (const core::VirtualFunction& function : group.functions) {
            text += fmt::format(
                "      - {{minor: {}, busID: {}}}\n", function.minor, json_quoted(function.bus_id));
        }
    }
    return text;
}

}  // namespace

void write_devices(std::ostream& out, const core::Topology& topology) {
    std::vector<std::string> specs;  // by machine type; empty for a type without devices
    for (const core::MachineType& type : topology.machine_types()) {
        std::string& spec = specs.emplace_back();
        for (const DeviceDescription& device : core::device_object_view(type).devices) {
            spec += device_text(device);
        }
    }
    bool first = true;
    for (const core::NodeId node : topology.level_nodes(topology.server_level())) {
        const std::string& spec = specs[topology.machine_type_index(topology.server_of(node))];
        if (spec.empty()) {
            continue;
        }
        out << fmt::format(
            "{}apiVersion: scheduling.koordinator.sh/v1alpha1\nkind: Device\n"
            "metadata: {{name: {}}}\nspec:\n  devices:\n{}",
            first ? "" : "---\n",
            json_quoted(topology.name(node)),
            spec);
        first = false;
    }
    if (first) {
        out << "# no server has devices of kind gpu, rdma or fpga\n";
    }
}

void write_group_keys(std::ostream& out, const core::Topology& topology) {
    for (const core::MachineType& type : topology.machine_types()) {
        const core::GroupAmounts keys = core::group_key_view(type);
        out << fmt::format("{}:{}\n", json_quoted(type.name), keys.empty() ? " {}" : "");
        for (const auto& [name, amount] : keys) {
            out << fmt::format("  {}: {}\n", json_quoted(name), amount);
        }
    }
}

}  // namespace berth::topologies
