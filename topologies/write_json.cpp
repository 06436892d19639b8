#include "topologies/writers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Core>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/support/text.hpp"
#include "topologies/json_parts.hpp"

namespace berth::topologies {
namespace {

using core::NodeId;
using core::Topology;

std::string devices_text(const core::DeviceGroup& group) {
    std::string text = fmt::format("{}: {{\"count\": {}", json_quoted(group.kind), group.count);
    if (!group.model.empty()) {
        text += fmt::format(", \"model\": {}", json_quoted(group.model));
    }
    if (group.memory_bytes != 0) {
        text += fmt::format(", \"memory\": \"{}\"", group.memory_bytes);
    }
    if (!group.numa.empty()) {
        text += fmt::format(", \"numa\": {}", group.numa);
    }
    if (!group.pcie.empty()) {
        text += fmt::format(", \"pcie\": {}", group.pcie);
    }
    if (!group.nvlink.empty()) {
        text += fmt::format(", \"nvlink\": {}", group.nvlink);
    }
    if (group.virtual_functions != 0) {
        text += fmt::format(", \"vfs\": {}", group.virtual_functions);
    }
    if (!group.traits.empty()) {
        std::vector<std::string> lists;
        std::ranges::transform(group.traits, std::back_inserter(lists), json_names);
        text += fmt::format(", \"traits\": [{}]", core::join(lists, ", "));
    }
    return text + "}";
}

void write_machine_type(std::ostream& out,
                        const core::MachineType& type,
                        const core::ResourceSchema& resources) {
    // Every type names every resource, so that the order of the schema survives reading back.
    std::vector<std::string> capacity;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        const auto amount = type.capacity[static_cast<Eigen::Index>(i)];
        capacity.push_back(
            fmt::format("{}: \"{}\"", json_quoted(resources.name(i)), resources.format(i, amount)));
    }
    out << fmt::format("      {}: {{\n        \"capacity\": {{{}}}",
                       json_quoted(type.name),
                       core::join(capacity, ", "));
    if (!type.devices.empty()) {
        std::vector<std::string> devices;
        for (const core::DeviceGroup& group : type.devices) {
            devices.push_back(devices_text(group));
        }
        out << fmt::format(",\n        \"devices\": {{{}}}", core::join(devices, ", "));
    }
    if (type.numa_nodes > 0) {
        out << fmt::format(",\n        \"numa\": {}", type.numa_nodes);
    }
    if (!type.traits.empty()) {
        out << fmt::format(",\n        \"traits\": {}", json_names(type.traits));
    }
    if (!type.labels.empty()) {
        std::vector<std::string> labels;
        for (const auto& [key, value] : type.labels) {
            labels.push_back(fmt::format("{}: {}", json_quoted(key), json_quoted(value)));
        }
        out << fmt::format(",\n        \"labels\": {{{}}}", core::join(labels, ", "));
    }
    out << "\n      }";
}

void write_shared_providers(std::ostream& out, const Topology& topology) {
    std::vector<std::string> lines;
    for (const core::SharedProvider& shared : topology.shared_providers()) {
        std::vector<std::string> inventories;
        for (const auto& [name, inventory] : shared.inventories) {
            inventories.push_back(
                fmt::format("{}: {}", json_quoted(name), json_inventory(inventory)));
        }
        std::string& line = lines.emplace_back();
        line = fmt::format("      {{\"name\": {}, \"level\": {}, \"inventories\": {{{}}}",
                           json_quoted(shared.name),
                           json_quoted(topology.level_name(shared.level)),
                           core::join(inventories, ", "));
        line += shared.traits.empty()
                    ? "}"
                    : fmt::format(", \"traits\": {}}}", json_names(shared.traits));
    }
    if (!lines.empty()) {
        out << fmt::format("    \"sharedProviders\": [\n{}\n    ],\n", core::join(lines, ",\n"));
    }
}

bool names_repeat(const Topology& topology) {
    std::unordered_set<std::string_view> names;
    names.reserve(topology.node_count());
    for (const NodeId node : core::node_range(0, topology.node_count())) {
        if (!names.insert(topology.name(node)).second) {
            return true;
        }
    }
    return false;
}

/// Whether a text needs no escapes in JSON.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void append_quoted(std::string& out, std::string_view text) {
    if (is_plain(text)) {
        out += '"';
        out += text;
        out += '"';
    } else {
        out += json_quoted(text);
    }
}

/// A cluster may have a million nodes but has few machine types, and a rack is the parent of all
/// its servers: the texts at the ends of lines are made once.
void write_nodes(std::ostream& out, const Topology& topology) {
    constexpr std::size_t block = std::size_t{1} << 16U;
    const bool ids = names_repeat(topology);
    std::vector<std::string> types;
    for (const core::MachineType& type : topology.machine_types()) {
        types.push_back(fmt::format(", \"type\": {}", json_quoted(type.name)));
    }
    std::string text;
    std::string parent_text;
    NodeId last_parent = topology.root();
    for (const NodeId node : core::node_range(0, topology.node_count())) {
        text += "      {\"name\": ";
        append_quoted(text, topology.name(node));
        if (ids) {
            fmt::format_to(std::back_inserter(text), ", \"id\": \"{}\"", node.index);
        }
        if (node != topology.root()) {
            const NodeId parent = topology.parent(node);
            if (parent_text.empty() || parent != last_parent) {
                last_parent = parent;
                parent_text = ", \"parent\": ";
                append_quoted(parent_text,
                              ids ? fmt::format("{}", parent.index) : topology.name(parent));
            }
            text += parent_text;
        }
        if (topology.is_server(node)) {
            text += types[topology.machine_type_index(topology.server_of(node))];
        }
        text += node.index + 1 < topology.node_count() ? "},\n" : "}\n";
        if (text.size() > block) {
            out << text;
            text.clear();
        }
    }
    out << text;
}

}  // namespace

std::string json_quoted(std::string_view text) {
    if (is_plain(text)) {
        return fmt::format("\"{}\"", text);
    }
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_names(const std::vector<std::string>& names) {
    std::vector<std::string> quoted;
    std::ranges::transform(names, std::back_inserter(quoted), json_quoted);
    return fmt::format("[{}]", core::join(quoted, ", "));
}

std::string json_inventory(const core::ProviderInventory& inventory) {
    const core::ProviderInventory plain;
    std::string text = fmt::format("{{\"total\": {}", inventory.total);
    const auto add = [&](std::string_view name, auto value, auto otherwise) {
        text += value != otherwise ? fmt::format(", \"{}\": {}", name, value) : "";
    };
    add("reserved", inventory.reserved, plain.reserved);
    add("min_unit", inventory.min_unit, plain.min_unit);
    add("max_unit", inventory.max_unit, plain.max_unit);
    add("step_size", inventory.step_size, plain.step_size);
    add("allocation_ratio", inventory.allocation_ratio, plain.allocation_ratio);
    return text + "}";
}

void write_json(std::ostream& out, const Topology& topology) {
    std::vector<std::string> levels;
    for (const std::string& name : topology.level_names()) {
        levels.push_back(json_quoted(name));
    }
    out << fmt::format(
        "{{\n  \"apiVersion\": \"berth/v1\",\n  \"kind\": \"Topology\",\n"
        "  \"metadata\": {{\"name\": {}}},\n  \"spec\": {{\n    \"levels\": [{}],\n"
        "    \"machineTypes\": {{\n",
        json_quoted(topology.name(topology.root())),
        core::join(levels, ", "));
    const auto& types = topology.machine_types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        write_machine_type(out, types[i], topology.resources());
        out << (i + 1 < types.size() ? ",\n" : "\n");
    }
    out << "    },\n";
    write_shared_providers(out, topology);
    out << "    \"nodes\": [\n";
    write_nodes(out, topology);
    out << "    ]\n  }\n}\n";
}

}  // namespace berth::topologies
