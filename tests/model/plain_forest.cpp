// The resource providers of a cluster, as docs/reference/topology.md describes them under
// `Providers`.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <utility>

#include "tests/model/plain_gpus.hpp"
#include "tests/model/plain_providers.hpp"

namespace berth::tests {
namespace {

using core::Amount;

/// A provider with everything below it.
struct Node {
    std::string name;
    std::set<std::string> traits{};
    std::map<std::string, Amount> has{};
    std::vector<Node> children{};

    Node& below(const std::string& child) {
        const auto known = std::ranges::find(children, child, &Node::name);
        return known != children.end() ? *known : children.emplace_back(Node{child});
    }
    /// Adds an inventory, unless it would be empty.
    void give(const std::string& resource_class, Amount total) {
        if (total > 0) {
            has[resource_class] = total;
        }
    }
};

Node& numa_node(Node& server, std::int64_t number) {
    Node& node = server.below(fmt::format("numa{}", number));
    node.traits.insert("HW_NUMA_ROOT");
    return node;
}

/// CPUs and memory are divided evenly among NUMA nodes; the first node gets the remainder.
void give_amounts(Node& server, const core::MachineType& type) {
    const auto whole = [&](Eigen::Index resource, Amount unit) {
        return resource < type.capacity.size() ? type.capacity[resource] / unit : 0;
    };
    const std::vector<std::pair<std::string, Amount>> divided{{"VCPU", whole(0, vcpu)},
                                                              {"MEMORY_MB", whole(1, mebibyte)}};
    for (const auto& [resource_class, total] : divided) {
        const std::int64_t nodes = type.numa_nodes;
        for (std::int64_t i = 0; i < nodes; ++i) {
            const Amount rest = i == 0 ? total % nodes : 0;
            numa_node(server, i).give(resource_class, total / nodes + rest);
        }
        if (nodes == 0) {
            server.give(resource_class, total);
        }
    }
    server.give("DISK_GB", whole(disk_resource, gibibyte));
}

void add_devices(Node& server, const core::DeviceGroup& group) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(group.count); ++i) {
        Node* above = &server;
        if (!group.numa.empty()) {
            above = &numa_node(*above, group.numa[i]);
        }
        if (!group.pcie.empty()) {
            above = &above->below(fmt::format("pcie{}", group.pcie[i]));
            above->traits.insert("CUSTOM_PCIE_SWITCH");
        }
        Node& device = above->below(fmt::format("{}_{}", group.kind, i));
        const bool functions = group.virtual_functions > 0;
        const bool gpu = group.kind == "gpu";
        device.give(!gpu        ? "SRIOV_NET_VF"
                    : functions ? "VGPU"
                                : "PGPU",
                    std::max<Amount>(group.virtual_functions, 1));
        if (!group.model.empty()) {
            device.traits.insert("CUSTOM_GPU_" + group.model);
        }
        for (std::size_t island = 0; island < group.nvlink.size(); ++island) {
            if (std::ranges::count(group.nvlink[island], static_cast<std::int64_t>(i)) > 0) {
                device.traits.insert(fmt::format("CUSTOM_NVLINK_{}", island));
            }
        }
        if (!group.traits.empty()) {
            device.traits.insert(group.traits[i].begin(), group.traits[i].end());
        }
    }
}

/// Adds a node and everything below it; a provider's place in its tree is encoded in its uuid.
void add(PlainForest& forest,
         const Node& node,
         const std::string& name,
         std::uint32_t server,
         std::optional<std::size_t> parent,
         std::size_t root) {
    const std::size_t number = forest.providers.size();
    PlainProvider& provider = forest.providers.emplace_back();
    provider.name = name;
    provider.uuid = fmt::format("{:08x}-0000-4000-8000-{:012x}", server, number - root);
    provider.tree = server;
    provider.parent = parent;
    provider.traits = node.traits;
    for (const auto& [resource_class, total] : node.has) {
        forest.inventories.push_back({number, resource_class, {.total = total}});
    }
    for (const Node& child : node.children) {
        add(forest, child, name + "_" + child.name, server, number, root);
    }
}

/// Each node of the level has one shared provider, in an aggregate with the servers below.
void add_shared(PlainForest& forest, const core::Topology& tree, std::size_t which) {
    const core::SharedProvider& shared = tree.shared_providers()[which];
    std::size_t count = 0;
    for (const core::NodeId node : tree.level_nodes(shared.level)) {
        const std::string aggregate =
            fmt::format("ffffffff-{:04x}-4000-a000-{:012x}", which, count);
        for (PlainProvider& provider : forest.providers) {
            const bool root = provider.tree < tree.server_count() && !provider.parent;
            if (root &&
                tree.ancestor(tree.node_of(core::ServerId{provider.tree}), shared.level) == node) {
                provider.aggregates.insert(aggregate);
            }
        }
        const std::size_t number = forest.providers.size();
        PlainProvider& provider = forest.providers.emplace_back();
        provider.name = shared.name + "_" + std::string(tree.name(node));
        provider.uuid = fmt::format("ffffffff-{:04x}-4000-8000-{:012x}", which, count++);
        provider.tree = forest.providers[number - 1].tree + 1;
        provider.shared = true;
        provider.traits = {shared.traits.begin(), shared.traits.end()};
        provider.traits.insert("MISC_SHARES_VIA_AGGREGATE");
        provider.aggregates.insert(aggregate);
        for (const auto& [resource_class, inventory] : shared.inventories) {
            forest.inventories.push_back({number, resource_class, inventory});
        }
    }
}

}  // namespace

std::optional<std::size_t> PlainForest::inventory(std::size_t provider,
                                                  const std::string& resource_class) const {
    for (std::size_t i = 0; i < inventories.size(); ++i) {
        if (inventories[i].provider == provider &&
            inventories[i].resource_class == resource_class) {
            return i;
        }
    }
    return std::nullopt;
}

PlainForest plain_forest(const core::Topology& tree) {
    PlainForest forest;
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        const core::ServerId id{server};
        const core::MachineType& type = tree.machine_type(id);
        Node root;
        root.traits = {type.traits.begin(), type.traits.end()};
        give_amounts(root, type);
        for (const core::DeviceGroup& group : type.devices) {
            add_devices(root, group);
        }
        const std::string name(tree.name(tree.node_of(id)));
        add(forest, root, name, server, std::nullopt, forest.providers.size());
    }
    for (std::size_t which = 0; which < tree.shared_providers().size(); ++which) {
        add_shared(forest, tree, which);
    }
    return forest;
}

}  // namespace berth::tests
