#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "parsed.hpp"

namespace core = berth::core;
using berth::tests::dump;
using berth::tests::topology_of;
using core::NodeId;
using core::ServerId;

namespace {

const std::string sound = R"(kind: Topology
spec:
  levels: [cluster, rack, server]
  machineTypes:
    a: {capacity: {cpu: 2}}
  nodes:
    - {name: c}
    - {name: s0, parent: r0, type: a}
    - {name: r0, parent: c}
    - {name: r1, parent: c}
    - {name: s1, parent: r1, type: a}
)";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("tree: nodes are read in any order", "[topologies][tree]") {
    const core::Topology topology = topology_of(sound);
    std::string paths;
    for (const NodeId node : core::node_range(0, topology.node_count())) {
        paths += topology.path(node) + " ";
    }
    CHECK(paths == "c c/r0 c/r1 c/r0/s0 c/r1/s1 ");
}

TEST_CASE("tree: each mistake is reported where it stands, with what was expected",
          "[topologies][tree]") {
    const auto [part, put, error] = GENERATE(table<std::string, std::string, std::string>({
        {"r0, parent: c",
         "r0, parent: s0",
         "8:7: error: a cycle: 's0' under 'r0' under 's0': expected every branch to begin at one "
         "root"},
        {"{name: c}",
         "{name: c, parent: r0}",
         "7:7: error: a cycle: 'c' under 'r0' under 'c': expected every branch to begin at one "
         "root"},
        {"r1, parent: c",
         "r1, parent: x",
         "10:26: error: unknown parent 'x': expected the name of a node"},
        {"name: s1",
         "name: s0",
         "11:14: error: two nodes are called 's0': expected distinct names, or an id each"},
        {"name: s1",
         "id: s0, name: s1",
         "11:12: error: two nodes are called 's0': expected distinct ids"},
        {"name: s1", "id: s1, name: r1", ""},
        {"{name: r1, parent: c}",
         "{name: r1}",
         "10:7: error: 'r1' is a second root: expected one node without a parent, and 'c' is one"},
        {"s1, parent: r1, type: a",
         "s1, parent: r0, type: a",
         "10:7: error: 'r1' has no children at level 'rack': expected every branch to end at level "
         "'server'"},
        {"s1, parent: r1",
         "s1, parent: s0",
         "8:7: error: 's0' is at the last level, 'server', and has children: expected 3 levels "
         "with the root"},
        {"s1, parent: r1, type: a",
         "s1, parent: r1",
         "11:7: error: server 's1' has no type: expected that of its machine"},
        {"r1, parent: c",
         "r1, parent: c, type: a",
         "10:7: error: 'r1' has children and a type: expected a type of servers alone"},
        {"s1, parent: r1, type: a",
         "s1, parent: r1, type: b",
         "11:36: error: unknown machine type 'b': expected one of machineTypes (did you mean "
         "'a'?)"},
        {"name: s1, parent: r1",
         "name: s0, id: x, parent: r0",
         "11:7: error: 'r0' has two children named 's0': expected distinct names"},
        {"name: s1",
         "nam: s1",
         "11:8: error: unknown key 'nam' in a node: expected name, id, "
         "parent or type (did you mean 'name'?)"},
        {"[cluster, rack, server]",
         "[cluster, rack, rack]",
         "3:27: error: level 'rack' occurs twice: expected distinct names"},
        {"[cluster, rack, server]", "[cluster]", "3:11: error: found 1 levels: expected 2 to 16"},
        {"  machineTypes:\n    a: {capacity: {cpu: 2}}\n",
         "",
         "3:3: error: a Topology's spec has no 'machineTypes': expected one"},
    }));
    CAPTURE(part, put);
    const auto reading = berth::tests::read(replaced(sound, part, put));
    if (error.empty()) {
        CHECK(reading.errors.empty());
    } else {
        CHECK_THAT(reading.errors, Catch::Contains("test.yaml:" + error + "\n"));
    }
}

TEST_CASE("tree: a cycle of many nodes is cut short", "[topologies][tree]") {
    std::string text =
        "kind: Topology\nspec:\n  levels: [c, s]\n  machineTypes: {a: {}}\n  nodes:\n"
        "    - {name: c}\n";
    for (int node = 0; node < 100; ++node) {
        text += "    - {name: n" + std::to_string(node) + ", parent: n" +
                std::to_string((node + 1) % 100) + "}\n";
    }
    CHECK_THAT(berth::tests::read(text).errors, Catch::Contains("under 'n7' and so on: expected"));
}

TEST_CASE("tree: what is written as JSON is read back as the same tree", "[topologies][tree]") {
    const std::string text = GENERATE(as<std::string>(),
                                      sound,
                                      R"(kind: Topology
spec:
  levels: [{name: zone, count: 2}, {name: rack, count: [1, 2]}, {name: server, count: [3, 1, 2]}]
  machines: [{type: "a \"quoted\" one"}, {type: b, weight: 0.5}, {type: c, at: {rack: 1}}]
  machineTypes:
    a "quoted" one: {capacity: {cpu: 1500m, memory: 1000, pods: 110}}
    b:
      capacity: {cpu: 192, memory: 2Ti, nvidia.com/gpu: 7500m}
      devices:
        gpu: {count: 8, model: H100, memory: 80Gi, numa: [0,0,0,0,1,1,1,1], nvlink: [[0,1],[2,3]]}
        rdma: {count: 2, pcie: [0, 3], vfs: 8}
    c: {}
)",
                                      R"(kind: Topology
spec:
  levels: [cluster, rack, server]
  machineTypes: {a: {}}
  nodes:
    - {name: c}
    - {name: none, id: x, parent: c}
    - {name: r, parent: c}
    - {name: none, id: y, parent: x, type: a}
    - {name: none, id: z, parent: r, type: a}
)");
    const core::Topology topology = topology_of(text);
    const std::string json = dump(topology);
    const core::Topology again = topology_of(json);
    CHECK(dump(again) == json);
    CHECK(again.resources() == topology.resources());
    REQUIRE(again.machine_types().size() == topology.machine_types().size());
    for (std::size_t i = 0; i < topology.machine_types().size(); ++i) {
        CHECK(again.machine_types()[i].devices == topology.machine_types()[i].devices);
        CHECK((again.machine_types()[i].capacity == topology.machine_types()[i].capacity).all());
    }
}

TEST_CASE("tree: a TopologyTree is read as it is found", "[topologies][tree]") {
    const core::Topology topology = topology_of(R"({
  "kind": "TopologyTree",
  "metadata": {"name": "small"},
  "spec": {
    "resource-names": ["cpu", "memory"],
    "level-names": ["rack", "server"],
    "tree": {"level": {
      "rack-0": {"level": {"node-0": {}, "node-1": {}}},
      "rack-1": {"level": {"node-0": {}}}
    }}
  }
})");
    CHECK(topology.level_names() == std::vector<std::string>{"cluster", "rack", "server"});
    CHECK(topology.resources().names() == std::vector<std::string>{"cpu", "memory"});
    CHECK(topology.server_count() == 3);
    CHECK(topology.path(topology.node_of(ServerId{2})) == "root/rack-1/node-0");
    CHECK(topology.machine_type(ServerId{0}).capacity[0] == 0);
    CHECK(dump(topology_of(dump(topology))) == dump(topology));
}

TEST_CASE("tree: a TopologyTree takes capacities from its machineType", "[topologies][tree]") {
    const core::Topology topology = topology_of(R"(kind: TopologyTree
spec:
  level-names: [server]
  machineType: {capacity: {memory: 1Gi}, devices: {gpu: {count: 4}}}
  tree: {level: {n0: , n1: {}}}
)");
    CHECK(topology.resources().names() == std::vector<std::string>{"memory", "nvidia.com/gpu"});
    CHECK(topology.machine_type(ServerId{1}).capacity[1] == 4'000);
}

TEST_CASE("tree: the mistakes of a TopologyTree are reported", "[topologies][tree]") {
    const auto [text, error] = GENERATE(table<std::string, std::string>({
        {"{level-names: [rack, server], tree: {level: {r: {level: {s: {}}}, q: {}}}}",
         "1:98: error: 'q' has no children at level 'rack': expected every branch to end at level "
         "'server'"},
        {"{level-names: [server], tree: {level: {r: {level: {s: {}}}}}}",
         "1:71: error: 'r' is at the last level, 'server', and has children: expected 2 levels "
         "with the root"},
        {"{level-names: [server], tree: {levels: {}}}",
         "1:63: error: unknown key 'levels' in 'root': expected level (did you mean 'level'?)"},
        {"{level-names: [server], tree: {}}",
         "1:62: error: 'root' has no children at level 'cluster': expected every branch to end at "
         "level 'server'"},
        {"{tree: {level: {a: {}}}}",
         "1:32: error: a TopologyTree's spec has no 'level-names': expected one"},
        {"{level-names: [server], tree: {level: [a]}}",
         "1:70: error: found a list: expected a map of nodes"},
    }));
    CAPTURE(text);
    const auto reading = berth::tests::read("{kind: TopologyTree,     spec: " + text + "}");
    CHECK_THAT(reading.errors, Catch::Contains("test.yaml:" + error));
}
