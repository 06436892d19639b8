#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// A tree as it was written down: nodes in any order, each with the index of its parent.
/// order_breadth_first() and assemble() check whether they make a topology.
struct LooseTree {
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Node {
        std::string name;
        std::uint32_t parent = none;        ///< `none` for the root.
        std::uint32_t machine_type = none;  ///< `none` for a node above the servers.
    };

    std::vector<std::string> level_names;  ///< From the root to the server.
    std::vector<Node> nodes;
    core::ResourceSchema resources;
    std::vector<core::MachineType> machine_types;
    core::NodeLabels labels;  ///< Labels of each node; empty: no node has labels.
};

/// Receives the errors of nodes, so that each reader can report the place of the node.
using NodeFault = std::function<void(std::uint32_t node, const std::string& message)>;

/// The nodes from the root down, level by level.
struct BreadthFirst {
    std::vector<std::uint32_t> nodes;        ///< Siblings keep the given order.
    std::vector<std::uint32_t> level_begin;  ///< Begin of each level in `nodes`, and the end.
    std::vector<std::uint32_t> child_count;  ///< Number of children of each given node.
};

/// Errors: no root, a second root, or a cycle. There must be at least one node. Cost: O(nodes).
[[nodiscard]] std::optional<BreadthFirst> order_breadth_first(
    const std::vector<LooseTree::Node>& nodes, const NodeFault& fault);

/// Errors: a branch that ends above the last level or continues below it, a server without a
///         machine type, an inner node with one, or two children of the same name.
/// Cost:   O(nodes log nodes).
[[nodiscard]] std::optional<core::Topology> assemble(LooseTree tree,
                                                     const BreadthFirst& order,
                                                     const NodeFault& fault);

}  // namespace berth::topologies
