#pragma once

#include <vector>

#include "core/tree/ids.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// A node of the logical tree: how many members are placed on a physical node.
struct PlacedNode {
    NodeId node;
    Members count = 0;
    friend bool operator==(const PlacedNode&, const PlacedNode&) = default;
};

/// A logical tree: the used nodes in depth-first order, parents before their children. Empty when
/// nothing was placed.
struct LogicalTree {
    std::vector<PlacedNode> nodes;

    [[nodiscard]] Members placed() const { return nodes.empty() ? 0 : nodes.front().count; }
};

/// The members on servers, in the order of the logical tree.
[[nodiscard]] std::vector<PlacedNode> servers_of(const LogicalTree& placement,
                                                 const Topology& topology);

/// The logical tree of members that are placed on these servers; `servers` are in the order of the
/// topology tree.
[[nodiscard]] LogicalTree logical_tree(const std::vector<PlacedNode>& servers,
                                       const Topology& topology);

}  // namespace berth::core
