#include <Eigen/Core>
#include <boost/graph/graphml.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <catch2/catch.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/tree/topology_graph.hpp"
#include "fuzz/mutation.hpp"
#include "parsed.hpp"
#include "support/dice.hpp"
#include "topologies/graphml_reader.hpp"
#include "topologies/writers.hpp"

using namespace berth;

namespace {

std::optional<std::string> read_plain(const std::string& text) {
    std::istringstream in(text);
    const auto topology = topologies::read_plain_graphml(in, {});
    return topology ? std::optional(tests::dump(*topology)) : std::nullopt;
}

/// What the graph library reads from the text; nothing where it is no tree.
std::optional<std::string> read_by_library(const std::string& text) {
    std::istringstream in(text);
    try {
        return tests::dump(topologies::read_graphml(in, "t.graphml", {}));
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

/// The text that the graph library writes for a topology.
std::string written_by_library(const core::Topology& topology) {
    boost::dynamic_properties properties;
    const auto column = [&properties](const std::string& name, auto text_of) {
        properties.property(name,
                            boost::make_function_property_map<std::uint32_t, std::string>(text_of));
    };
    column("name",
           [&](std::uint32_t vertex) { return std::string(topology.name(core::NodeId{vertex})); });
    column("level", [&](std::uint32_t vertex) {
        return topology.level_name(topology.level_of(core::NodeId{vertex}));
    });
    column("type", [&](std::uint32_t vertex) {
        const core::NodeId node{vertex};
        return topology.is_server(node) ? topology.machine_type(topology.server_of(node)).name : "";
    });
    for (std::size_t i = 0; i < topology.resources().size(); ++i) {
        column(topology.resources().name(i), [&topology, i](std::uint32_t vertex) {
            const core::NodeId node{vertex};
            return topology.is_server(node)
                       ? topology.resources().format(i,
                                                     topology.machine_type(topology.server_of(node))
                                                         .capacity[static_cast<Eigen::Index>(i)])
                       : std::string();
        });
    }
    std::ostringstream out;
    const core::TopologyGraph graph(topology);
    boost::write_graphml(out, graph, get(boost::vertex_index, graph), properties, true);
    return out.str();
}

std::string written(const core::Topology& topology) {
    std::ostringstream out;
    topologies::write_graphml(out, topology);
    return out.str();
}

const std::vector<std::string> trees{
    R"(kind: Topology
spec:
  levels: [{name: zone, count: 2}, {name: rack, count: [1, 2]}, {name: server, count: [3, 1, 2]}]
  machines: [{type: a & b}, {type: "'<q>\"", weight: 0.5}, {type: c, at: {rack: 1}}]
  machineTypes:
    a & b: {capacity: {cpu: 1500m, memory: 1000, pods: 110}}
    "'<q>\"": {capacity: {cpu: 192, memory: 2Ti, nvidia.com/gpu: 7500m, aaa: 1}}
    c: {}
)",
    R"(kind: Topology
spec:
  levels: [c, s]
  machineTypes: {m: {capacity: {name: 4, level: 5, type: 6, level2: 7}}}
  nodes: [{name: "  "}, {name: "a  b", parent: "  ", type: m}, {name: " c", parent: "  ", type: m}]
)"};

/// A file of another program: vertices with ids of their own, numbers, comments, and data in all
/// orders.
const std::string by_others = R"(<?xml version='1.0'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><!-- of another -- program -->
<key id="a" for="node" attr.name="name" attr.type="string"/>
<key id="b" for="all" attr.type="int" attr.name="cpu"></key>
<key id="c" for="node" attr.name="type" attr.type="string"/>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="directed">
<node id="root"><data key="a">the root</data></node>
<node id="s1"><data key="b">8</data><data key="a">s&amp;1</data></node>
<node id="n1" ><data key="c"> big </data><data key="a">
 s2
</data><data key="b">16</data></node>
<edge source="root" target="s1"/><edge target="n1" source="root"></edge>
</graph></graphml>
)";

}  // namespace

TEST_CASE("graphml: what is written is what the graph library writes", "[topologies][graphml]") {
    for (const std::string& tree : trees) {
        const core::Topology topology = tests::topology_of(tree);
        CHECK(written(topology) == written_by_library(topology));
    }
}

TEST_CASE("graphml: what programs write is read a tag at a time", "[topologies][graphml]") {
    const std::string text = written(tests::topology_of(trees.front()));
    for (const std::string& one : {text, by_others}) {
        const auto plain = read_plain(one);
        REQUIRE(plain);
        CHECK(plain == read_by_library(one));
    }
}

TEST_CASE("graphml: what is not plain is left to the graph library", "[topologies][graphml]") {
    const auto changed = [](const std::string& from, const std::string& to) {
        std::string text = by_others;
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        return text.replace(at, from.size(), to);
    };
    for (const std::string& text :
         {changed("?>", "?><!DOCTYPE graphml>"),
          changed("the root", "<![CDATA[the root]]>"),
          changed("the root", "the  root"),
          changed("the root", "the&#32;root"),
          changed(">8<", ">08<"),
          changed("\"int\"", "\"boolean\""),
          changed("edgedefault=\"directed\"", "edgedefault=\"undirected\""),
          changed(
              "<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>",
              "<key id=\"w\" for=\"node\" attr.name=\"x\" attr.type=\"int\"><default>1</default>"
              "</key>"),
          changed("id=\"n1\"", "id=\"s1\""),
          changed("source=\"root\" target=\"s1\"", "source=\"root\" target=\"s9\""),
          changed("</graph>", "</graph><graph edgedefault='directed'/>"),
          changed("</graphml>", "")}) {
        CAPTURE(text);
        CHECK_FALSE(read_plain(text));
    }
}

TEST_CASE("graphml: changed files are the same tree for both, or not plain",
          "[topologies][graphml]") {
    const std::string text = written(tests::topology_of(trees.front()));
    int read = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        tests::Dice dice(seed);
        std::string one = seed % 2 == 0 ? text : by_others;
        for (std::int64_t change = dice.roll(1, 2); change > 0; --change) {
            tests::mutate(one, dice);
        }
        CAPTURE(seed, one);
        if (const auto plain = read_plain(one)) {
            REQUIRE(plain == read_by_library(one));
            ++read;
        }
    }
    CHECK(read > 100);
}

TEST_CASE("graphml: tags and texts may stand across blocks", "[topologies][graphml]") {
    const core::Topology topology = tests::topology_of(R"(kind: Topology
spec:
  levels: [{name: rack, count: 300}, {name: server, count: 16}]
  machines: [{type: m}]
  machineTypes: {m: {capacity: {cpu: 4}}}
)");
    const std::string text = written(topology);  // this has several blocks
    REQUIRE(text.size() > 1'000'000);
    const auto plain = read_plain(text);
    REQUIRE(plain);
    CHECK(*plain == read_by_library(text));
}
