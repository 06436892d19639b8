#include "core/tree/logical_tree.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

[[maybe_unused]] bool has_each_node_once(LogicalTree tree) {
    std::ranges::sort(tree.nodes, {}, &PlacedNode::node);
    return std::ranges::adjacent_find(tree.nodes, {}, &PlacedNode::node) == tree.nodes.end();
}

}  // namespace

std::vector<PlacedNode> servers_of(const LogicalTree& placement, const Topology& topology) {
    std::vector<PlacedNode> servers;
    std::ranges::copy_if(placement.nodes, std::back_inserter(servers), [&](const PlacedNode& node) {
        return topology.is_server(node.node);
    });
    return servers;
}

LogicalTree logical_tree(const std::vector<PlacedNode>& servers, const Topology& topology) {
    BERTH_AUDIT(
        std::ranges::all_of(
            servers, [&](NodeId node) { return topology.is_server(node); }, &PlacedNode::node),
        "members sit on servers");
    LogicalTree tree;
    std::vector<std::size_t> path;  // the entries on the path from the root to the last server
    for (const PlacedNode& server : servers) {
        std::vector<NodeId> ancestors{server.node};
        while (ancestors.back() != topology.root()) {
            ancestors.push_back(topology.parent(ancestors.back()));
        }
        std::ranges::reverse(ancestors);
        for (std::size_t level = 0; level < ancestors.size(); ++level) {
            if (level >= path.size() || tree.nodes[path[level]].node != ancestors[level]) {
                path.resize(level);
                path.push_back(tree.nodes.size());
                tree.nodes.push_back({ancestors[level], 0});
            }
            tree.nodes[path[level]].count += server.count;
        }
    }
    BERTH_AUDIT(std::accumulate(servers.begin(),
                                servers.end(),
                                Members{0},
                                [](Members sum, const PlacedNode& server) {
                                    return sum + server.count;
                                }) == tree.placed(),
                "the root has the members of all servers");
    BERTH_AUDIT(has_each_node_once(tree), "the servers below one node follow each other");
    return tree;
}

}  // namespace berth::core
