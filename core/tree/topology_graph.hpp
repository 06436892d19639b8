#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#include <utility>

#include "core/tree/topology.hpp"

namespace berth::core {

/// The topology tree as Boost.Graph sees it: a directed graph with an edge from each parent to each
/// child. It models VertexListGraph, EdgeListGraph, IncidenceGraph and BidirectionalGraph, so BGL's
/// algorithms and writers run on the tree's own arrays.
///
/// Shape: a vertex is a node's index. Since a node has one parent, an edge is the index of its
///        target; so edges are the vertices 1 .. n-1.
/// Cost:  O(1) for each operation; the graph holds a pointer and copies nothing.
class TopologyGraph {
public:
    using vertex_descriptor = std::uint32_t;
    struct edge_descriptor {
        std::uint32_t child = 0;
        friend auto operator<=>(edge_descriptor, edge_descriptor) = default;
    };
    using directed_category = boost::bidirectional_tag;
    using edge_parallel_category = boost::disallow_parallel_edge_tag;
    struct traversal_category : boost::bidirectional_graph_tag,
                                boost::vertex_list_graph_tag,
                                boost::edge_list_graph_tag {};
    using vertices_size_type = std::uint32_t;
    using edges_size_type = std::uint32_t;
    using degree_size_type = std::uint32_t;
    using vertex_iterator = boost::counting_iterator<std::uint32_t>;

    /// Turns a child's index into the edge that leads to it.
    struct ToEdge {
        using result_type = edge_descriptor;
        edge_descriptor operator()(std::uint32_t child) const { return {child}; }
    };
    class edge_iterator : public boost::iterator_facade<edge_iterator,
                                                        edge_descriptor,
                                                        boost::random_access_traversal_tag,
                                                        edge_descriptor> {
    public:
        edge_iterator() = default;
        explicit edge_iterator(std::uint32_t child) : child_(child) {}

    private:
        friend class boost::iterator_core_access;
        [[nodiscard]] edge_descriptor dereference() const { return {child_}; }
        [[nodiscard]] bool equal(const edge_iterator& other) const {
            return child_ == other.child_;
        }
        void increment() { ++child_; }
        void decrement() { --child_; }
        void advance(std::ptrdiff_t n) {
            child_ = static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(child_) + n);
        }
        [[nodiscard]] std::ptrdiff_t distance_to(const edge_iterator& other) const {
            return static_cast<std::ptrdiff_t>(other.child_) - static_cast<std::ptrdiff_t>(child_);
        }
        std::uint32_t child_ = 0;
    };
    using out_edge_iterator = edge_iterator;
    using in_edge_iterator = edge_iterator;

    explicit TopologyGraph(const Topology& topology) : topology_(&topology) {}
    [[nodiscard]] const Topology& topology() const { return *topology_; }
    static vertex_descriptor null_vertex() { return UINT32_MAX; }

private:
    const Topology* topology_;
};

inline auto vertices(const TopologyGraph& graph) {
    return std::pair(TopologyGraph::vertex_iterator(0),
                     TopologyGraph::vertex_iterator(graph.topology().node_count()));
}
inline std::uint32_t num_vertices(const TopologyGraph& graph) {
    return graph.topology().node_count();
}
inline auto edges(const TopologyGraph& graph) {
    return std::pair(TopologyGraph::edge_iterator(1),
                     TopologyGraph::edge_iterator(graph.topology().node_count()));
}
inline std::uint32_t num_edges(const TopologyGraph& graph) {
    return graph.topology().node_count() - 1;
}
inline std::uint32_t source(TopologyGraph::edge_descriptor edge, const TopologyGraph& graph) {
    return graph.topology().parent(NodeId{edge.child}).index;
}
inline std::uint32_t target(TopologyGraph::edge_descriptor edge, const TopologyGraph&) {
    return edge.child;
}
inline auto out_edges(std::uint32_t vertex, const TopologyGraph& graph) {
    const Topology& tree = graph.topology();
    const bool leaf = tree.is_server(NodeId{vertex});
    return std::pair(TopologyGraph::edge_iterator(leaf ? 0 : tree.child_begin(NodeId{vertex})),
                     TopologyGraph::edge_iterator(leaf ? 0 : tree.child_end(NodeId{vertex})));
}
inline std::uint32_t out_degree(std::uint32_t vertex, const TopologyGraph& graph) {
    const auto [begin, end] = out_edges(vertex, graph);
    return static_cast<std::uint32_t>(end - begin);
}
inline auto in_edges(std::uint32_t vertex, const TopologyGraph&) {
    return std::pair(TopologyGraph::edge_iterator(vertex),
                     TopologyGraph::edge_iterator(vertex == 0 ? 0 : vertex + 1));
}
inline std::uint32_t in_degree(std::uint32_t vertex, const TopologyGraph&) {
    return vertex == 0 ? 0 : 1;
}
inline std::uint32_t degree(std::uint32_t vertex, const TopologyGraph& graph) {
    return in_degree(vertex, graph) + out_degree(vertex, graph);
}
inline boost::typed_identity_property_map<std::uint32_t> get(boost::vertex_index_t,
                                                             const TopologyGraph&) {
    return {};
}
inline std::uint32_t get(boost::vertex_index_t, const TopologyGraph&, std::uint32_t vertex) {
    return vertex;
}

}  // namespace berth::core

template <>
struct boost::property_map<berth::core::TopologyGraph, boost::vertex_index_t> {
    using type = boost::typed_identity_property_map<std::uint32_t>;
    using const_type = type;
};
