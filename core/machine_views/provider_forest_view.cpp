#include "core/machine_views/provider_forest_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/machine_views/provider_view.hpp"

namespace berth::core {
namespace {

constexpr std::size_t number_digits = 8;  ///< A uuid begins with the server's number.

std::string uuid_of_place(std::size_t place) {
    return fmt::format("{:0{}}-0000-4000-8000-{:012x}", 0, number_digits, place);
}

void set_number(std::string& uuid, std::uint32_t number) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (std::size_t i = number_digits; i-- > 0; number >>= 4U) {
        uuid[i] = digits[number & 0xFU];
    }
}

/// The uuid of the n-th shared provider of a topology at a node of its level, where nodes are
/// counted within the level. These uuids come after those of all servers.
std::string uuid_of_shared(std::size_t shared, std::uint32_t node) {
    return fmt::format("ffffffff-{:04x}-4000-8000-{:012x}", shared, node);
}

std::string aggregate_of_shared(std::size_t shared, std::uint32_t node) {
    return fmt::format("ffffffff-{:04x}-4000-a000-{:012x}", shared, node);
}

/// The nodes of a machine's tree in an order in which every subtree is a range and children keep
/// their order.
std::vector<std::size_t> subtrees_together(const std::vector<ProviderNode>& nodes) {
    std::vector<std::vector<std::size_t>> children(nodes.size());
    for (std::size_t node = 1; node < nodes.size(); ++node) {
        children[*nodes[node].parent].push_back(node);
    }
    std::vector<std::size_t> order;
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        order.push_back(node);
        open.insert(open.end(), children[node].rbegin(), children[node].rend());
    }
    return order;
}

/// The tree of one machine type. It is made once and shown for each of its servers with other
/// texts.
class MachineProviders {
public:
    MachineProviders(const MachineType& type, const ResourceSchema& resources) {
        const std::vector<ProviderNode> nodes = provider_view(type, resources, "");
        std::vector<std::size_t> place_of(nodes.size());
        for (const std::size_t node : subtrees_together(nodes)) {
            const std::size_t place = providers_.size();
            place_of[node] = place;
            names_.push_back(nodes[node].name);
            ResourceProvider& provider = providers_.emplace_back();
            provider.uuid = uuid_of_place(place);
            if (nodes[node].parent) {
                provider.parent_uuid = uuid_of_place(place_of[*nodes[node].parent]);
            }
            for (const auto& [name, total] : nodes[node].inventory) {
                provider.inventories[name].total = total;
            }
            provider.traits = nodes[node].traits;
        }
    }

    /// The server's own provider, for what is not the same for all servers of the type.
    ResourceProvider& root() { return providers_[0]; }
    void show(ServerId server,
              std::string_view name,
              const std::function<void(const ResourceProvider&)>& visit) {
        for (std::size_t place = 0; place < providers_.size(); ++place) {
            ResourceProvider& provider = providers_[place];
            set_number(provider.uuid, server.index);
            if (provider.parent_uuid) {
                set_number(*provider.parent_uuid, server.index);
            }
            provider.name.assign(name).append(names_[place]);
            visit(provider);
        }
    }

private:
    std::vector<ResourceProvider> providers_;  ///< The providers, by place.
    std::vector<std::string> names_;           ///< The providers' names without the server's name.
};

/// The number of a node within its level.
std::uint32_t number_in_level(const Topology& tree, NodeId node, Level level) {
    return node.index - (*tree.level_nodes(level).begin()).index;
}

void show_shared(const Topology& tree, const std::function<void(const ResourceProvider&)>& visit) {
    const std::vector<SharedProvider>& all = tree.shared_providers();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const SharedProvider& shared = all[i];
        ResourceProvider provider;
        provider.inventories = shared.inventories;
        provider.traits = shared.traits;
        if (std::ranges::find(provider.traits, sharing_trait) == provider.traits.end()) {
            provider.traits.emplace_back(sharing_trait);
        }
        for (const NodeId node : tree.level_nodes(shared.level)) {
            const std::uint32_t number = number_in_level(tree, node, shared.level);
            provider.uuid = uuid_of_shared(i, number);
            provider.name = fmt::format("{}_{}", shared.name, tree.name(node));
            provider.aggregates = {aggregate_of_shared(i, number)};
            visit(provider);
        }
    }
}

}  // namespace

void for_each_provider(const Topology& tree,
                       const std::function<void(const ResourceProvider&)>& visit) {
    std::vector<MachineProviders> machines;
    for (const MachineType& type : tree.machine_types()) {
        machines.emplace_back(type, tree.resources());
    }
    const std::vector<SharedProvider>& shared = tree.shared_providers();
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const ServerId server{index};
        const NodeId node = tree.node_of(server);
        MachineProviders& machine = machines[tree.machine_type_index(server)];
        machine.root().aggregates.resize(shared.size());
        for (std::size_t i = 0; i < shared.size(); ++i) {
            const NodeId above = tree.ancestor(node, shared[i].level);
            machine.root().aggregates[i] =
                aggregate_of_shared(i, number_in_level(tree, above, shared[i].level));
        }
        machine.show(server, tree.name(node), visit);
    }
    show_shared(tree, visit);
}

ProviderForest provider_forest(const Topology& tree) {
    ProviderForestBuilder builder;
    for (const MachineType& type : tree.machine_types()) {
        for (const ProviderNode& provider : provider_view(type, tree.resources(), "")) {
            for (const auto& [name, total] : provider.inventory) {
                builder.know_resource_class(name);
            }
            std::ranges::for_each(provider.traits, [&](const auto& t) { builder.know_trait(t); });
        }
    }
    for_each_provider(tree, [&](const ResourceProvider& provider) { builder.add(provider); });
    return builder.build();
}

}  // namespace berth::core
