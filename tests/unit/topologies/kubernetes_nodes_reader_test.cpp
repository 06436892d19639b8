#include "topologies/kubernetes_nodes.hpp"

#include <catch2/catch.hpp>

#include "core/tree/node_labels.hpp"
#include "parsed.hpp"

namespace core = berth::core;
using core::ServerId;

namespace {

const char* const nodes_json = R"({
  "apiVersion": "v1",
  "kind": "List",
  "items": [
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "gpu-a-01", "uid": "6f7c", "labels": {
       "kubernetes.io/hostname": "gpu-a-01", "topology.kubernetes.io/zone": "zone-a",
       "example.com/rack": "a7", "node.kubernetes.io/instance-type": "g8",
       "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.memory": "81559"}},
     "spec": {"podCIDR": "10.0.0.0/24"},
     "status": {
       "allocatable": {"cpu": "191500m", "memory": "2113421676Ki",
                       "nvidia.com/gpu": "8", "pods": "110"},
       "capacity": {"cpu": "192", "memory": "2113524076Ki", "nvidia.com/gpu": "8", "pods": "110"}}},
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "cpu-b-01", "labels": {"topology.kubernetes.io/zone": "zone-b"}},
     "status": {"capacity": {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "47093746742"}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "not-a-node"}},
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "gpu-a-02", "labels": {
       "topology.kubernetes.io/zone": "zone-a", "example.com/rack": "a7",
       "node.kubernetes.io/instance-type": "g8",
       "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.memory": "81559"}},
     "status": {"allocatable": {"pods": "110", "cpu": "191500m", "memory": "2113421676Ki",
                       "nvidia.com/gpu": "8"}}},
    {"apiVersion": "v1", "kind": "Node",
     "metadata": {"name": "spare", "labels": {"node.kubernetes.io/instance-type": "g8"}},
     "status": {"allocatable": {"cpu": "4"}}}
  ]
})";

std::vector<std::string> server_paths(const core::Topology& topology) {
    std::vector<std::string> paths;
    for (const core::NodeId node : topology.level_nodes(topology.server_level())) {
        paths.push_back(topology.path(node));
    }
    return paths;
}

}  // namespace

TEST_CASE("kubernetes: a node list becomes zones and servers", "[topologies][kubernetes]") {
    const auto reading = berth::tests::read(nodes_json);
    REQUIRE(reading.topology);
    const core::Topology& topology = *reading.topology;
    CHECK(topology.level_names() == std::vector<std::string>{"cluster", "zone", "server"});
    CHECK(server_paths(topology) == std::vector<std::string>{"cluster/zone-a/gpu-a-01",
                                                             "cluster/zone-a/gpu-a-02",
                                                             "cluster/zone-b/cpu-b-01",
                                                             "cluster/none/spare"});
    REQUIRE(reading.warnings.size() == 1);
    CHECK_THAT(reading.warnings.front(),
               Catch::Contains("test.yaml:26:5: warning: 1 of 4 nodes, this one first, have no "
                               "label 'topology.kubernetes.io/zone'"));
}

TEST_CASE("kubernetes: capacity is what can be allocated, and like machines share a type",
          "[topologies][kubernetes]") {
    const core::Topology topology = berth::tests::topology_of(nodes_json);
    CHECK(topology.resources().names() ==
          std::vector<std::string>{"cpu", "memory", "nvidia.com/gpu", "pods", "ephemeral-storage"});
    const core::MachineType& gpu = topology.machine_type(ServerId{0});
    CHECK(gpu.name == "g8");
    CHECK(gpu.capacity[0] == 191'500);
    CHECK(gpu.capacity[1] == core::Amount{2'113'421'676} * 1024);
    CHECK(gpu.capacity[2] == 8'000);
    CHECK(topology.machine_type_index(ServerId{0}) == topology.machine_type_index(ServerId{1}));
    REQUIRE(gpu.devices.size() == 1);
    CHECK(gpu.devices[0].kind == "gpu");
    CHECK(gpu.devices[0].count == 8);
    CHECK(gpu.devices[0].model == "NVIDIA-H100-80GB-HBM3");
    CHECK(gpu.devices[0].memory_bytes == core::Amount{81'559} << 20);
    CHECK(topology.machine_type(ServerId{2}).name == "machine");
    CHECK(topology.machine_type(ServerId{2}).devices.empty());
    CHECK(topology.machine_type(ServerId{2}).capacity[4] == 47'093'746'742);
    CHECK(topology.machine_type(ServerId{3}).name == "g8-2");
}

TEST_CASE("kubernetes: servers have the labels of their nodes", "[topologies][kubernetes]") {
    const auto reading = berth::tests::read(nodes_json);
    REQUIRE(reading.topology);
    const core::Topology& topology = *reading.topology;
    CHECK(core::knows_labels(topology));
    using Servers = std::vector<bool>;
    CHECK(core::servers_with(topology, {{"example.com/rack", "a7"}}) ==
          Servers{true, true, false, false});
    CHECK(core::servers_with(topology, {{"node.kubernetes.io/instance-type", "g8"}}) ==
          Servers{true, true, false, true});
    CHECK(core::servers_with(topology,
                             {{"node.kubernetes.io/instance-type", "g8"},
                              {"topology.kubernetes.io/zone", "zone-a"},
                              {"kubernetes.io/hostname", "gpu-a-01"}}) ==
          Servers{true, false, false, false});
    CHECK(core::servers_with(topology, {{"example.com/rack", "a8"}}) == Servers(4));
    CHECK(core::servers_with(topology, {}) == Servers(4, true));
}

TEST_CASE("kubernetes: the labels of the levels can be chosen", "[topologies][kubernetes]") {
    core::Diagnostics diagnostics;
    const auto topology = berth::topologies::read_kubernetes_nodes(
        berth::tests::parsed(nodes_json),
        {{"zone", "topology.kubernetes.io/zone"}, {"rack", "example.com/rack"}},
        {},
        diagnostics);
    REQUIRE(topology);
    CHECK(server_paths(*topology) == std::vector<std::string>{"cluster/zone-a/a7/gpu-a-01",
                                                              "cluster/zone-a/a7/gpu-a-02",
                                                              "cluster/zone-b/none/cpu-b-01",
                                                              "cluster/none/none/spare"});
    CHECK(diagnostics.warnings().size() == 2);
    const std::string json = berth::tests::dump(*topology);
    CHECK(berth::tests::dump(berth::tests::topology_of(json)) == json);  // though `none` repeats
}

TEST_CASE("kubernetes: one node and a NodeList are read too", "[topologies][kubernetes]") {
    const std::string text =
        GENERATE(as<std::string>(),
                 "{kind: Node, metadata: {name: n}, status: {capacity: {cpu: 1}}}",
                 "{kind: NodeList, items: [{metadata: {name: n}, status: {capacity: {cpu: 1}}}]}");
    const core::Topology topology = berth::tests::topology_of(text);
    CHECK(server_paths(topology) == std::vector<std::string>{"cluster/n"});
    CHECK(topology.level_count() == 2);
}

TEST_CASE("kubernetes: each mistake is reported where it stands", "[topologies][kubernetes]") {
    const auto [items, error] = GENERATE(table<std::string, std::string>({
        {"", "1:1: error: no nodes: expected one Node at least"},
        {"{kind: Pod, metadata: {name: p}}", "1:1: error: no nodes: expected one Node at least"},
        {"{kind: Node, metadata: {}}", "2:1: error: a Node has no metadata.name: expected one"},
        {"{kind: Node, metadata: {name: n}}",
         "2:1: error: node 'n' has no resources: expected status.allocatable or status.capacity"},
        {"{kind: Node, metadata: {name: n}, status: {capacity: {cpu: lots}}}",
         "2:60: error: found 'lots': expected a Kubernetes quantity"},
        {"{kind: Node, metadata: {name: n}, status: {capacity: {}}},\n"
         "{kind: Node, metadata: {name: n}, status: {capacity: {}}}",
         "3:31: error: two nodes are named 'n': expected distinct names"},
    }));
    CAPTURE(items);
    const auto reading = berth::tests::read("{kind: List, items: [\n" + items + "\n]}");
    CHECK_THAT(reading.errors, Catch::Contains("test.yaml:" + error));
}
