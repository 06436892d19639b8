#include "topologies/graphml_reader.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "parsed.hpp"
#include "topologies/writers.hpp"

namespace core = berth::core;
using berth::tests::dump;
using core::ServerId;

namespace {

core::Topology read(const std::string& text) {
    std::istringstream in(text);
    return berth::topologies::read_graphml(in, "tree.graphml", {});
}

std::string written(const core::Topology& topology) {
    std::ostringstream out;
    berth::topologies::write_graphml(out, topology);
    return out.str();
}

/// A file in which the vertices n0, n1, ... have the given data, with the given edges.
std::string graphml(const std::vector<std::string>& nodes,
                    const std::string& edges,
                    const std::string& direction = "directed") {
    std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="a" for="node" attr.name="name" attr.type="string"/>
<key id="b" for="node" attr.name="level" attr.type="string"/>
<key id="c" for="node" attr.name="cpu" attr.type="double"/>
<key id="d" for="node" attr.name="depth" attr.type="int"/>
<key id="e" for="node" attr.name="memory" attr.type="string"/>
<graph id="G" edgedefault=")" +
                       direction + R"(" parse.nodeids="free" parse.edgeids="canonical">)";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        text += "<node id=\"n" + std::to_string(i) + "\">" + nodes[i] + "</node>\n";
    }
    std::istringstream pairs(edges);
    for (std::string source, target; pairs >> source >> target;) {
        text += "<edge source=\"n" + source + "\" target=\"n" + target + "\"/>\n";
    }
    return text + "</graph></graphml>\n";
}

const std::string c = R"(<data key="a">c</data>)";
const std::string r0 = R"(<data key="a">r0</data>)";
const std::string r1 = R"(<data key="a">r1</data>)";
const std::string s0 = R"(<data key="a">s0</data>)";
const std::string s1 = R"(<data key="a">s1</data>)";

}  // namespace

TEST_CASE("graphml: what is written is read back as the same tree", "[topologies][graphml]") {
    const core::Topology topology = berth::tests::topology_of(R"(kind: Topology
spec:
  levels: [{name: zone, count: 2}, {name: rack, count: [1, 2]}, {name: server, count: [3, 1, 2]}]
  machines: [{type: a & b}, {type: b, weight: 0.5}, {type: c, at: {rack: 1}}]
  machineTypes:
    a & b: {capacity: {cpu: 1500m, memory: 1000, pods: 110}}
    b: {capacity: {cpu: 192, memory: 2Ti, nvidia.com/gpu: 7500m}}
    c: {}
)");
    const std::string text = written(topology);
    const core::Topology again = read(text);
    CHECK(written(again) == text);
    CHECK(again.level_names() == topology.level_names());
    REQUIRE(again.node_count() == topology.node_count());
    for (const core::NodeId node : core::node_range(0, topology.node_count())) {
        CHECK(again.path(node) == topology.path(node));
    }
    for (std::uint32_t server = 0; server < topology.server_count(); ++server) {
        const core::MachineType& before = topology.machine_type(ServerId{server});
        const core::MachineType& after = again.machine_type(ServerId{server});
        CHECK(after.name == before.name);
        for (std::size_t i = 0; i < topology.resources().size(); ++i) {
            const auto at = again.resources().find(topology.resources().name(i));
            REQUIRE(at);
            CHECK(after.capacity[static_cast<Eigen::Index>(*at)] ==
                  before.capacity[static_cast<Eigen::Index>(i)]);
        }
    }
}

TEST_CASE("graphml: a file of another program is read", "[topologies][graphml]") {
    const core::Topology topology = read(
        graphml({s0 + R"(<data key="c">0.5</data><data key="e">1Gi</data><data key="d">2</data>)",
                 r0,
                 c + R"(<data key="d">0</data>)",
                 s1 + R"(<data key="c">16</data><data key="b">host</data>)"},
                "1 0 2 1 1 3"));
    CHECK(topology.level_names() == std::vector<std::string>{"cluster", "level-1", "host"});
    CHECK(topology.path(topology.node_of(ServerId{0})) == "c/r0/s0");
    CHECK(topology.resources().names() == std::vector<std::string>{"cpu", "memory"});
    CHECK(topology.machine_type(ServerId{0}).capacity[0] == 500);
    CHECK(topology.machine_type(ServerId{0}).capacity[1] == 1 << 30);
    CHECK(topology.machine_type(ServerId{1}).capacity[0] == 16'000);
    CHECK(topology.machine_type(ServerId{0}).name == "machine");
    CHECK(topology.machine_type(ServerId{1}).name == "machine-2");
}

TEST_CASE("graphml: files of programs that draw graphs are read", "[topologies][graphml]") {
    const std::string xmlns = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
)";
    const std::string gephi = xmlns + R"(
<key attr.name="label" attr.type="string" for="node" id="label"/>
<key attr.name="Edge Label" attr.type="string" for="edge" id="edgelabel"/>
<key attr.name="weight" attr.type="double" for="edge" id="weight"/>
<key attr.name="cpu" attr.type="integer" for="node" id="cpu"/>
<key attr.name="r" attr.type="int" for="node" id="r"/>
<key attr.name="size" attr.type="float" for="node" id="size"/>
<graph edgedefault="directed">
<node id="0"><data key="label">c</data><data key="size">10.0</data><data key="r">3</data></node>
<node id="1"><data key="label">s0</data><data key="cpu">16</data><data key="size">4.5</data></node>
<edge id="7" source="0" target="1">
<data key="edgelabel">of</data><data key="weight">1.0</data></edge>
</graph></graphml>)";
    const std::string yed = xmlns + R"(<!--Created by yEd 3.23-->
<key for="port" id="d0" yfiles.type="portgraphics"/>
<key attr.name="url" attr.type="string" for="node" id="d1"/>
<key attr.name="cpu" attr.type="int" for="node" id="d2"/>
<key for="node" id="d3" yfiles.type="nodegraphics"/>
<key for="graphml" id="d4" yfiles.type="resources"/>
<key for="edge" id="d5" yfiles.type="edgegraphics"/>
<graph edgedefault="directed" id="G">
<node id="n0"><data key="d1"/><data key="d2"></data><data key="d3"><y:ShapeNode>
<y:Fill color="#FFCC00"/>
<y:NodeLabel fontSize="12">c<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>
<node id="n1"><data key="d2">16</data><data key="d3"><y:ShapeNode><y:NodeLabel> s0
</y:NodeLabel></y:ShapeNode></data></node>
<edge id="e0" source="n0" target="n1"><data key="d5"><y:PolyLineEdge/></data></edge>
</graph><data key="d4"><y:Resources/></data></graphml>)";
    const std::string igraph = xmlns + R"(<!-- Created by igraph -->
<key id="g_name" for="graph" attr.name="name" attr.type="string"/>
<key id="v_name" for="node" attr.name="name" attr.type="string"/>
<key id="v_cpu" for="node" attr.name="cpu" attr.type="double"/>
<key id="v_id" for="node" attr.name="id" attr.type="string"/>
<key id="v_label.cex" for="node" attr.name="label.cex" attr.type="double"/>
<key id="e_weight" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="directed"><data key="g_name">cluster</data>
<node id="n0"><data key="v_name">c</data><data key="v_id">n0</data>
<data key="v_label.cex">0.5</data></node>
<node id="n1"><data key="v_name">s0</data><data key="v_cpu">16</data>
<data key="v_id">n1</data></node>
<edge source="n0" target="n1"><data key="e_weight">1</data></edge>
</graph></graphml>)";
    const std::string text = GENERATE_COPY(gephi, yed, igraph);
    CAPTURE(text);
    const core::Topology topology = read(text);
    CHECK(topology.path(topology.node_of(ServerId{0})) == "c/s0");
    CHECK(topology.resources().names() == std::vector<std::string>{"cpu"});
    CHECK(topology.machine_type(ServerId{0}).capacity[0] == 16'000);
}

TEST_CASE("graphml: what is no tree is refused by name of the file", "[topologies][graphml]") {
    const auto [text, error] = GENERATE(table<std::string, std::string>({
        {graphml({c, r0, s0}, "0 1 1 2 2 0"), "a cycle: 'c' under 's0' under 'r0' under 'c'"},
        {graphml({c, r0, s0}, "0 1"), "'s0' is a second root"},
        {graphml({c, r0, s0, r1, s1}, "0 1 1 2 3 4 4 3"), "a cycle: "},
        {graphml({c, r0, r1, s0}, "0 1 0 2 1 3 2 3"), "'s0' has two parents, 'r0' and 'r1'"},
        {graphml({c, r0, r1, s0}, "0 1 0 2 1 3"), "'r1' has no children at level 'level-1'"},
        {graphml({c}, ""), "found 1 levels: expected 2 to 16"},
        {graphml({c, ""}, "0 1"), "node 1 of the file has no 'name': expected one"},
        {graphml({}, ""), "no nodes: expected a tree"},
        {graphml({c, r0, r1}, "0 1 0 2", "undirected"), "an undirected graph: expected edges"},
        {graphml({c, s0, s0}, "0 1 0 2"), "'c' has two children named 's0'"},
        {graphml({c, s0 + R"(<data key="b">x</data>)", s1 + R"(<data key="b">y</data>)"},
                 "0 1 0 2"),
         "'s1' is of level 'y' at depth 1: expected 'x'"},
        {graphml({c, s0 + R"(<data key="d">2</data>)"}, "0 1"), "'s0' says depth 2: expected 1"},
        {graphml({c + R"(<data key="b">x</data>)", s0 + R"(<data key="b">x</data>)"}, "0 1"),
         "level 'x' occurs at two depths"},
        {graphml({c, s0 + R"(<data key="e">much</data>)"}, "0 1"),
         "'memory' of 's0' is 'much': expected a Kubernetes quantity"},
        {graphml({c, s0 + R"(<data key="c">-1</data>)"}, "0 1"),
         "'cpu' of 's0' is '-1': expected no negative amount"},
        {graphml({c + R"(<data key="c">1</data>)", s0}, "0 1"),
         "'c' has children and an amount of 'cpu'"},
        {"<graphml><nothing></graphml>", "no well-formed XML"},
        {"", "expected"},
    }));
    CAPTURE(text);
    CHECK_THROWS_WITH(read(text), Catch::StartsWith("tree.graphml:") && Catch::Contains(error));
    CHECK_THROWS_AS(read(text), core::InputError);
}

TEST_CASE("graphml: elements may not lie inside each other without end", "[topologies][graphml]") {
    const auto deep = [](int levels) {
        std::string inside;
        for (int i = 0; i < levels; ++i) {
            inside.insert(0, "<a>").append("</a>");
        }
        return graphml({c, s0 + "<data key=\"c\">16</data>" + inside}, "0 1");
    };
    CHECK_THROWS_WITH(read(deep(2000)),
                      "tree.graphml: error: elements inside elements, more than 1000 deep: "
                      "expected fewer");
    CHECK_NOTHROW(read(deep(900)));
}
