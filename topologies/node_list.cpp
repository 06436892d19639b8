#include "topologies/node_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"
#include "core/support/value.hpp"
#include "topologies/level_plan.hpp"

namespace berth::topologies {
namespace {

/// `96c-384Gi-8xG2`, and without GPUs `96c-384Gi`.
std::string describe(const ListedNode& node) {
    std::string name = node.cpu_milli % 1000 == 0 ? fmt::format("{}c", node.cpu_milli / 1000)
                                                  : fmt::format("{}mc", node.cpu_milli);
    if (node.memory_bytes) {
        core::ResourceSchema schema;
        name += "-" + schema.format(schema.add("memory"), *node.memory_bytes);
    }
    if (node.gpus > 0) {
        name += fmt::format("-{}x{}", node.gpus, node.gpu_model.empty() ? "gpu" : node.gpu_model);
    }
    return name;
}

}  // namespace

void NodeList::add(const ListedNode& node, const core::SourceSpan& stood) {
    if (node.name.empty()) {
        diagnostics_.error(stood, "a node without a name: expected one");
        return;
    }
    if (!names_.insert(node.name).second) {
        diagnostics_.error(
            stood, fmt::format("two nodes are named '{}': expected distinct names", node.name));
        return;
    }
    SparseAmounts amounts;
    amounts.emplace_back(resources_.add("cpu"), node.cpu_milli);
    if (node.memory_bytes) {
        amounts.emplace_back(resources_.add("memory"), *node.memory_bytes);
    }
    std::vector<core::DeviceGroup> devices;
    const std::size_t gpu = resources_.add(resource_of_device("gpu"));
    if (node.gpus > 0) {
        amounts.emplace_back(gpu, node.gpus * resources_.per_unit(gpu));
        core::DeviceGroup& group = devices.emplace_back();
        group.kind = "gpu";
        group.count = node.gpus;
        group.model = node.gpu_model;
    }
    servers_.push_back(
        {node.name, LooseTree::none, types_.intern(describe(node), amounts, devices)});
}

std::optional<core::Topology> NodeList::finish(const core::ResourceSchema& also,
                                               const core::SourceSpan& whole) {
    if (servers_.empty() && !diagnostics_.failed()) {
        diagnostics_.error(whole, "no nodes: expected one row at least below the header");
    }
    check_levels(whole);
    if (diagnostics_.failed()) {
        return std::nullopt;
    }
    for (const std::string& name : also.names()) {
        resources_.add(name);
    }
    LooseTree built = tree();
    const NodeFault fault = [&](std::uint32_t, const std::string& message) {
        diagnostics_.error(whole, message);
    };
    const auto order = order_breadth_first(built.nodes, fault);
    return order ? assemble(std::move(built), *order, fault) : std::nullopt;
}

void NodeList::check_levels(const core::SourceSpan& whole) {
    std::vector<std::string> names{"cluster", "server"};
    for (const InventedLevel& level : levels_) {
        BERTH_ASSERT(level.children > 0, "an invented node has children");
        names.push_back(level.name);
    }
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size() ||
        names.size() > levels_max) {
        diagnostics_.error(whole,
                           fmt::format("levels {}: expected distinct names, {} at most",
                                       core::alternatives(names),
                                       levels_max));
    }
}

LooseTree NodeList::tree() {
    LooseTree out;
    out.resources = resources_;
    out.machine_types = types_.finish(resources_);
    out.level_names.emplace_back("cluster");
    std::vector<std::uint64_t> sizes;  // of the invented levels, from the lowest up
    std::uint64_t below = servers_.size();
    for (std::size_t level = levels_.size(); level-- > 0;) {
        below = (below + levels_[level].children - 1) / levels_[level].children;
        sizes.push_back(below);
    }
    out.nodes.push_back({"cluster", LooseTree::none, LooseTree::none});
    std::uint32_t above = 0;  // where the level above begins
    std::uint32_t per_parent = UINT32_MAX;
    const auto parent_of = [&](std::uint64_t node) {
        return above + static_cast<std::uint32_t>(node / per_parent);
    };
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const auto begin = static_cast<std::uint32_t>(out.nodes.size());
        for (std::uint64_t node = 0; node < sizes[levels_.size() - 1 - level]; ++node) {
            out.nodes.push_back({fmt::format("{}-{}", levels_[level].name, node),
                                 parent_of(node),
                                 LooseTree::none});
        }
        out.level_names.push_back(levels_[level].name);
        above = begin;
        per_parent = levels_[level].children;
    }
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        servers_[server].parent = parent_of(server);
        out.nodes.push_back(std::move(servers_[server]));
    }
    out.level_names.emplace_back("server");
    return out;
}

}  // namespace berth::topologies
