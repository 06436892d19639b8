#include "core/tree/topology.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

std::optional<Level> Topology::find_level(std::string_view name) const {
    const auto at = std::ranges::find(level_names_, name);
    if (at == level_names_.end()) {
        return std::nullopt;
    }
    return Level{static_cast<std::uint32_t>(at - level_names_.begin())};
}

Level Topology::level_of(NodeId node) const {
    BERTH_ASSERT(node.index < node_count(), "a node is one of the tree's");
    const auto above = std::ranges::upper_bound(level_begin_, node.index);
    return Level{static_cast<std::uint32_t>(above - level_begin_.begin() - 1)};
}

NodeId Topology::ancestor(NodeId node, Level level) const {
    BERTH_ASSERT(level.index < level_count(), "a level is one of the tree's");
    while (node.index >= level_begin_[level.index + 1]) {
        node = parent(node);
    }
    BERTH_ASSERT(node.index >= level_begin_[level.index], "the level lies below the node");
    return node;
}

std::string_view Topology::name(NodeId node) const {
    BERTH_ASSERT(node.index < node_count(), "a node is one of the tree's");
    const std::uint32_t begin = name_begin_[node.index];
    return std::string_view(names_).substr(begin, name_begin_[node.index + 1] - begin);
}

std::string Topology::path(NodeId node) const {
    std::string path(name(node));
    while (node != root()) {
        node = parent(node);
        path.insert(0, 1, '/').insert(0, name(node));
    }
    return path;
}

std::unordered_map<std::string_view, ServerId> Topology::servers_by_name() const {
    std::unordered_map<std::string_view, ServerId> servers;
    servers.reserve(server_count());
    for (std::uint32_t index = 0; index < server_count(); ++index) {
        servers.emplace(name(node_of(ServerId{index})), ServerId{index});
    }
    return servers;
}

std::uint32_t Topology::distance(NodeId a, NodeId b) const {
    BERTH_AUDIT(level_of(a) == level_of(b), "two servers are as far below the root");
    std::uint32_t edges = 0;
    while (a != b) {
        a = parent(a);
        b = parent(b);
        edges += 2;
    }
    return edges;
}

TopologyBuilder::TopologyBuilder(ResourceSchema resources) {
    tree_.resources_ = std::move(resources);
}

std::uint32_t TopologyBuilder::add_machine_type(MachineType type) {
    BERTH_ASSERT(static_cast<std::size_t>(type.capacity.size()) == tree_.resources_.size(),
                 "a machine type's capacity is by the schema");
    tree_.machine_types_.push_back(std::move(type));
    return static_cast<std::uint32_t>(tree_.machine_types_.size() - 1);
}

void TopologyBuilder::begin_level(std::string name) {
    const auto begin = static_cast<std::uint32_t>(tree_.parent_.size());
    BERTH_ASSERT(tree_.level_begin_.empty() || begin > tree_.level_begin_.back(),
                 "a level without nodes");
    tree_.level_names_.push_back(std::move(name));
    tree_.level_begin_.push_back(begin);
}

void TopologyBuilder::add_node(std::uint32_t parent, std::string_view name) {
    BERTH_AUDIT(!tree_.level_begin_.empty(), "a node is of a level that began");
    const std::size_t level = tree_.level_begin_.size() - 1;
    const auto node = static_cast<std::uint32_t>(tree_.parent_.size());
    if (level == 0) {
        BERTH_ASSERT(node == 0, "one root");
    } else {
        // The children of each parent are one range, so the range of a new parent begins where the
        // last one ended.
        const std::uint32_t above = tree_.level_begin_[level - 1] + parent;
        BERTH_ASSERT(above < tree_.level_begin_[level], "a parent is of the level above");
        if (tree_.child_begin_.size() <= above) {
            BERTH_ASSERT(tree_.child_begin_.size() == above, "an inner node without children");
            tree_.child_begin_.push_back(node);
        }
        BERTH_ASSERT(tree_.child_begin_.size() == above + 1, "children in their parents' order");
        parent = above;
    }
    tree_.parent_.push_back(parent);
    tree_.name_begin_.push_back(static_cast<std::uint32_t>(tree_.names_.size()));
    tree_.names_ += name;
}

void TopologyBuilder::add_server(std::uint32_t parent,
                                 std::string_view name,
                                 std::uint32_t machine_type) {
    BERTH_AUDIT(machine_type < tree_.machine_types_.size(), "a server's machine type was added");
    add_node(parent, name);
    tree_.machine_type_of_.push_back(machine_type);
}

void TopologyBuilder::reserve(std::size_t nodes, std::size_t servers, std::size_t name_bytes) {
    tree_.parent_.reserve(nodes);
    tree_.name_begin_.reserve(nodes + 1);
    tree_.machine_type_of_.reserve(servers);
    tree_.names_.reserve(name_bytes);
}

Topology TopologyBuilder::build() {
    const auto nodes = static_cast<std::uint32_t>(tree_.parent_.size());
    BERTH_ASSERT(!tree_.level_begin_.empty() && nodes > tree_.level_begin_.back(),
                 "the last level has servers");
    BERTH_ASSERT(tree_.child_begin_.size() == tree_.level_begin_.back(),
                 "an inner node without children");
    tree_.level_begin_.push_back(nodes);
    tree_.child_begin_.push_back(nodes);
    tree_.name_begin_.push_back(static_cast<std::uint32_t>(tree_.names_.size()));
    BERTH_ASSERT(tree_.machine_type_of_.size() == tree_.server_count(),
                 "the last level holds servers, each with its machine type");
    return std::move(tree_);
}

Topology TopologyBuilder::with_machine_types(Topology tree,
                                             std::vector<MachineType> types,
                                             std::vector<std::uint32_t> of_server) {
    BERTH_ASSERT(of_server.size() == tree.server_count(), "each server has its machine type");
    BERTH_AUDIT(
        std::ranges::all_of(of_server, [&](std::uint32_t type) { return type < types.size(); }),
        "a server's machine type is one of those");
    tree.machine_types_ = std::move(types);
    tree.machine_type_of_ = std::move(of_server);
    return tree;
}

Topology TopologyBuilder::with_shared_providers(Topology tree, std::vector<SharedProvider> shared) {
    BERTH_ASSERT(std::ranges::all_of(
                     shared,
                     [&](Level level) { return level < tree.server_level(); },
                     &SharedProvider::level),
                 "what is shared is of a level above the servers");
    tree.shared_providers_ = std::move(shared);
    return tree;
}

Topology TopologyBuilder::with_labels(Topology tree, NodeLabels of_server) {
    tree.labels_ = std::move(of_server);
    return tree;
}

}  // namespace berth::core
