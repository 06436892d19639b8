#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "core/tree/node_labels.hpp"
#include "parsed.hpp"
#include "topologies/writers.hpp"

namespace core = berth::core;
using berth::tests::topology_of;

namespace {

std::string text_of(const core::Topology& topology) {
    std::ostringstream out;
    berth::topologies::write_text(out, topology);
    return out.str();
}

}  // namespace

TEST_CASE("text: neighbours that are alike share a line", "[topologies][writers]") {
    CHECK(text_of(topology_of(R"(kind: Topology
spec:
  levels:
    - {name: zone, count: 1}
    - {name: room, count: 3}
    - {name: rack, count: 8}
    - {name: server, count: 20}
  machines: [{type: bx2-16x256}]
  machineTypes:
    bx2-16x256: {capacity: {cpu: 16, memory: 256Gi}}
)")) == "cluster: 1 zone, 480 servers\n"
        "  zone-0: 3 rooms, 480 servers\n"
        "    room-0 .. room-2: 3 x 8 racks, 480 servers\n"
        "      rack-0 .. rack-7: 8 x 20 servers, 160 x bx2-16x256 {cpu: 16, memory: 256Gi}\n");
}

TEST_CASE("text: what differs stands apart", "[topologies][writers]") {
    CHECK(text_of(topology_of(R"(kind: Topology
spec:
  levels: [{name: rack, count: 5}, {name: server, count: [2, 2, 3, 2, 2]}]
  machines: [{type: a}, {type: b, at: {server: 7}}]
  machineTypes:
    a: {capacity: {cpu: 500m}}
    b: {devices: {gpu: {count: 8, model: H100}}}
)")) == "cluster: 5 racks, 11 servers: 10 x a {cpu: 500m}, 1 x b {nvidia.com/gpu: 8, gpu: 8 x "
        "H100}\n"
        "  rack-0 .. rack-1: 2 x 2 servers, 4 x a {cpu: 500m}\n"
        "  rack-2: 3 servers, 3 x a {cpu: 500m}\n"
        "  rack-3: 2 servers, 1 x a {cpu: 500m}, 1 x b {nvidia.com/gpu: 8, gpu: 8 x H100}\n"
        "  rack-4: 2 servers, 2 x a {cpu: 500m}\n");
}

TEST_CASE("text: a cluster of servers alone is one line", "[topologies][writers]") {
    CHECK(text_of(topology_of("{kind: Topology, spec: {levels: [{name: server, count: 2}], "
                              "machines: [{type: a}], machineTypes: {a: {}}}}")) ==
          "cluster: 2 servers, 2 x a {}\n");
}

TEST_CASE("text: no cluster is so irregular that its summary gets long", "[topologies][writers]") {
    std::string counts;
    for (int rack = 0; rack < 20 * 20 * 20; ++rack) {
        counts += std::to_string(1 + rack % 7 + rack / 400) + ", ";
    }
    const std::string text = text_of(topology_of(
        "{kind: Topology, spec: {levels: [{name: zone, count: 20}, {name: room, count: 20}, "
        "{name: rack, count: 20}, {name: server, count: [" +
        counts + "]}], machines: [{type: a}, {type: b}], machineTypes: {a: {}, b: {}}}}"));
    CHECK(std::ranges::count(text, '\n') <= 120);
    CHECK_THAT(text, Catch::Contains("... and "));
    CHECK_THAT(
        text, Catch::StartsWith("cluster: 20 zones, 107997 servers: 53999 x a {}, 53998 x b {}\n"));
}

TEST_CASE("dot: each node and edge is written", "[topologies][writers]") {
    std::ostringstream out;
    berth::topologies::write_dot(
        out,
        topology_of("{kind: Topology, spec: {levels: [{name: server, count: 2}], "
                    "machines: [{type: 'a \"b\"'}], machineTypes: {'a \"b\"': {}}}}"));
    CHECK(out.str() ==
          "digraph G {\n"
          "0[label=\"cluster\", level=\"cluster\"];\n"
          "1[label=\"server-0\", level=\"server\", type=\"a \\\"b\\\"\", shape=box];\n"
          "2[label=\"server-1\", level=\"server\", type=\"a \\\"b\\\"\", shape=box];\n"
          "0->1 ;\n"
          "0->2 ;\n"
          "}\n");
}

TEST_CASE("json: the nodes are listed one by one", "[topologies][writers]") {
    std::ostringstream out;
    berth::topologies::write_json(
        out,
        topology_of("{kind: Topology, spec: {levels: [{name: server, count: 1}], machines: "
                    "[{type: a}], machineTypes: {a: {capacity: {cpu: 2}, devices: {gpu: {count: "
                    "2, memory: 1Gi, numa: [0, 1]}}}}}}"));
    CHECK(out.str() == R"({
  "apiVersion": "berth/v1",
  "kind": "Topology",
  "metadata": {"name": "cluster"},
  "spec": {
    "levels": ["cluster", "server"],
    "machineTypes": {
      "a": {
        "capacity": {"cpu": "2", "nvidia.com/gpu": "2"},
        "devices": {"gpu": {"count": 2, "memory": "1073741824", "numa": [0, 1]}}
      }
    },
    "nodes": [
      {"name": "cluster"},
      {"name": "server-0", "parent": "cluster", "type": "a"}
    ]
  }
}
)");
}

TEST_CASE("json: labels of machine types come back", "[topologies][writers]") {
    const core::Topology written = topology_of(R"(kind: Topology
spec:
  levels: [{name: server, count: 3}]
  machines: [{type: a}, {type: b, at: {server: 1}}]
  machineTypes:
    a: {capacity: {cpu: 1}}
    b: {capacity: {cpu: 1}, labels: {pool: spot, example.com/disk: "ssd"}}
)");
    CHECK(core::servers_with(written, {{"pool", "spot"}}) == std::vector<bool>{false, true, false});
    std::ostringstream out;
    berth::topologies::write_json(out, written);
    const core::Topology again = topology_of(out.str());
    CHECK(again.machine_types()[1].labels ==
          core::Labels{{"example.com/disk", "ssd"}, {"pool", "spot"}});
    CHECK_FALSE(core::knows_labels(topology_of(R"(kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes: {a: {capacity: {cpu: 1}}}
)")));
}
