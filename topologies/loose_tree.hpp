#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// A tree as it was written down: nodes in any order, each with the index of its parent.
/// order_breadth_first() and assemble() find out whether they make a topology.
struct LooseTree {
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Node {
        std::string name;
        std::uint32_t parent = none;        ///< None for the root.
        std::uint32_t machine_type = none;  ///< None for a node above the servers.
    };

    std::vector<std::string> level_names;  ///< From the root to the server.
    std::vector<Node> nodes;
    core::ResourceSchema resources;
    std::vector<core::MachineType> machine_types;
    core::NodeLabels labels;  ///< By node; empty: nobody has any.
};

/// Is told what is wrong with a node, so that each reader can say where the node stood.
using NodeFault = std::function<void(std::uint32_t node, const std::string& message)>;

/// The nodes from the root down, level by level.
struct BreadthFirst {
    std::vector<std::uint32_t> nodes;        ///< Siblings keep the order they were given in.
    std::vector<std::uint32_t> level_begin;  ///< Into `nodes`; one more than levels.
    std::vector<std::uint32_t> child_count;  ///< By node as given.
};

/// Errors: no root, a second root, a cycle. There is at least one node. Cost: O(nodes).
[[nodiscard]] std::optional<BreadthFirst> order_breadth_first(
    const std::vector<LooseTree::Node>& nodes, const NodeFault& fault);

/// Errors: a branch that ends above or goes on below the last level, a server without a machine
///         type or an inner node with one, two children of one name.
/// Cost:   O(nodes log nodes).
[[nodiscard]] std::optional<core::Topology> assemble(LooseTree tree,
                                                     const BreadthFirst& order,
                                                     const NodeFault& fault);

}  // namespace berth::topologies
