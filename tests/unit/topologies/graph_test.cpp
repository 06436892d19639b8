#include <boost/concept/assert.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "core/tree/topology_graph.hpp"
#include "parsed.hpp"

namespace core = berth::core;
using core::NodeId;
using core::TopologyGraph;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<TopologyGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<TopologyGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<TopologyGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<TopologyGraph>));

namespace {

const char* const irregular = R"(
kind: Topology
spec:
  levels: [{name: zone, count: 2}, {name: rack, count: [1, 2]}, {name: server, count: [3, 1, 2]}]
  machines: [{type: small}]
  machineTypes: {small: {capacity: {cpu: 4}}}
)";

struct Discovery : boost::default_bfs_visitor {
    explicit Discovery(std::vector<std::uint32_t>& into) : order(&into) {}
    void discover_vertex(std::uint32_t vertex, const TopologyGraph&) { order->push_back(vertex); }
    std::vector<std::uint32_t>* order;
};

struct TreeEdges : boost::default_dfs_visitor {
    TreeEdges(int& tree, int& other) : tree_edges(&tree), other_edges(&other) {}
    void tree_edge(TopologyGraph::edge_descriptor, const TopologyGraph&) { ++*tree_edges; }
    void back_edge(TopologyGraph::edge_descriptor, const TopologyGraph&) { ++*other_edges; }
    void forward_or_cross_edge(TopologyGraph::edge_descriptor, const TopologyGraph&) {
        ++*other_edges;
    }
    int* tree_edges;
    int* other_edges;
};

}  // namespace

TEST_CASE("graph: breadth-first search meets the nodes in the order of their numbers",
          "[topologies][graph]") {
    const core::Topology topology = berth::tests::topology_of(irregular);
    const TopologyGraph graph(topology);
    std::vector<std::uint32_t> order;
    std::vector<boost::default_color_type> color(num_vertices(graph));

    boost::breadth_first_search(graph,
                                0U,
                                boost::visitor(Discovery(order))
                                    .color_map(boost::make_iterator_property_map(
                                        color.begin(), get(boost::vertex_index, graph))));

    std::vector<std::uint32_t> expected(topology.node_count());
    std::iota(expected.begin(), expected.end(), 0U);
    CHECK(order == expected);
    CHECK(order.size() == 1 + 2 + 3 + 6);
}

TEST_CASE("graph: depth-first search finds a tree and no other edge", "[topologies][graph]") {
    const core::Topology topology = berth::tests::topology_of(irregular);
    const TopologyGraph graph(topology);
    int tree_edges = 0;
    int other_edges = 0;

    boost::depth_first_search(graph, boost::visitor(TreeEdges(tree_edges, other_edges)));

    CHECK(tree_edges == 11);
    CHECK(other_edges == 0);
    CHECK(num_edges(graph) == 11);
}

TEST_CASE("graph: edges in and out agree with parents and children", "[topologies][graph]") {
    const core::Topology topology = berth::tests::topology_of(irregular);
    const TopologyGraph graph(topology);
    for (const NodeId node : core::node_range(0, topology.node_count())) {
        CHECK(out_degree(node.index, graph) == topology.children(node).size());
        const auto [begin, end] = in_edges(node.index, graph);
        CHECK(end - begin == (node == topology.root() ? 0 : 1));
        for (auto at = begin; at != end; ++at) {
            CHECK(source(*at, graph) == topology.parent(node).index);
            CHECK(target(*at, graph) == node.index);
        }
    }
}
