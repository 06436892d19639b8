#include <string>
#include <vector>

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include "parsed.hpp"

namespace core = berth::core;
using berth::tests::topology_of;
using core::Level;
using core::NodeId;
using core::ServerId;

namespace {

std::string types_in_order(const core::Topology& topology) {
    std::string types;
    for (std::uint32_t server = 0; server < topology.server_count(); ++server) {
        types += topology.machine_type(ServerId{server}).name;
    }
    return types;
}

/// Twelve servers in four racks, with machines of the types a, b and c.
core::Topology mixed(const std::string& machines) {
    return topology_of(
        "kind: Topology\nspec:\n"
        "  levels: [{name: zone, count: 2}, {name: rack, count: 2}, {name: server, count: 3}]\n"
        "  machines: " +
        machines + "\n  machineTypes: {a: {capacity: {cpu: 1}}, b: {}, c: {}}\n");
}

core::Amount amount(const core::Topology& topology, ServerId server, const std::string& name) {
    const auto resource = topology.resources().find(name);
    REQUIRE(resource);
    return topology.machine_type(server).capacity[static_cast<Eigen::Index>(*resource)];
}

}  // namespace

TEST_CASE("spec: the paper's cluster is generated as written", "[topologies][spec]") {
    const core::Topology topology = topology_of(R"(
apiVersion: berth/v1
kind: Topology
metadata: {name: paper}
spec:
  levels:
    - {name: zone, count: 1}
    - {name: room, count: 3}
    - {name: rack, count: 8}
    - {name: server, count: 20}
  machines:
    - {type: bx2-16x256}
  machineTypes:
    bx2-16x256:
      capacity: {cpu: 16, memory: 256Gi}
    hgx-h100:
      capacity: {cpu: 192, memory: 2Ti}
      devices:
        gpu: {count: 8, model: H100, memory: 80Gi, numa: [0,0,0,0,1,1,1,1],
              pcie: [0,0,1,1,2,2,3,3], nvlink: [[0,1,2,3],[4,5,6,7]]}
        rdma: {count: 4, numa: [0,0,1,1], pcie: [0,1,2,3], vfs: 8}
)");
    CHECK(topology.level_names() ==
          std::vector<std::string>{"cluster", "zone", "room", "rack", "server"});
    CHECK(topology.server_count() == 480);
    CHECK(topology.path(topology.node_of(ServerId{479})) ==
          "cluster/zone-0/room-2/rack-23/server-479");
    CHECK(amount(topology, ServerId{0}, "cpu") == 16'000);
    CHECK(amount(topology, ServerId{0}, "memory") == core::Amount{256} << 30);
    CHECK(amount(topology, ServerId{0}, "nvidia.com/gpu") == 0);

    const core::MachineType& hgx = topology.machine_types().at(1);
    CHECK(hgx.capacity[2] == 8'000);  // nvidia.com/gpu, in thousandths
    CHECK(hgx.capacity[3] == 4);      // rdma
    REQUIRE(hgx.devices.size() == 2);
    CHECK(hgx.devices[0].model == "H100");
    CHECK(hgx.devices[0].memory_bytes == core::Amount{80} << 30);
    CHECK(hgx.devices[0].pcie == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2, 3, 3});
    CHECK(hgx.devices[0].nvlink.at(1) == std::vector<std::int64_t>{4, 5, 6, 7});
    CHECK(hgx.devices[1].virtual_functions == 8);
}

TEST_CASE("spec: a list of counts gives each parent its own", "[topologies][spec]") {
    const core::Topology topology = topology_of(R"(
kind: Topology
spec:
  levels: [{name: rack, count: 3}, {name: server, count: [2, 1, 3]}]
  machines: [{type: a}]
  machineTypes: {a: {}}
)");
    std::string shape;
    for (const NodeId rack : topology.level_nodes(Level{1})) {
        for (const NodeId server : topology.children(rack)) {
            shape += std::string(topology.path(server)) + " ";
        }
    }
    CHECK(shape ==
          "cluster/rack-0/server-0 cluster/rack-0/server-1 cluster/rack-1/server-2 "
          "cluster/rack-2/server-3 cluster/rack-2/server-4 cluster/rack-2/server-5 ");
}

TEST_CASE("spec: machines mix by weight, evenly from the first server on", "[topologies][spec]") {
    const auto [machines, types] = GENERATE(table<std::string, std::string>({
        {"[{type: a}]", "aaaaaaaaaaaa"},
        {"[{type: a}, {type: b}]", "abababababab"},
        {"[{type: a, weight: 3}, {type: b}]", "aabaaabaaaba"},
        {"[{type: a, weight: 0.75}, {type: b, weight: 0.25}]", "aabaaabaaaba"},
        {"[{type: a}, {type: b}, {type: c, weight: 2}]", "cabccabccabc"},
        {"[{type: a}, {type: b, at: {rack: 1}}]", "aaabbbaaaaaa"},
        {"[{type: b, at: {rack: rack-1}}, {type: a}]", "aaabbbaaaaaa"},
        {"[{type: a}, {type: b, at: {zone: 1}}, {type: c, at: {server: 7}}]", "aaaaaabcbbbb"},
        {"[{type: c, at: {rack: 3}}, {type: a}, {type: b, at: {zone: 1}}]", "aaaaaabbbccc"},
        {"[{type: a}, {type: b, at: {rack: [0, 2]}}]", "bbbaaabbbaaa"},
        {"[{type: a}, {type: b, at: {zone: 0}}, {type: c, at: {zone: 0}}]", "bcbcbcaaaaaa"},
        {"[{type: a, at: {zone: 0}}, {type: b, at: {zone: 1}}]", "aaaaaabbbbbb"},
        {"[{type: c, at: {cluster: 0}}]", "cccccccccccc"},
    }));
    CAPTURE(machines);
    CHECK(types_in_order(mixed(machines)) == types);
}

TEST_CASE("spec: devices count as resources unless the capacity says how many",
          "[topologies][spec]") {
    const core::Topology topology = topology_of(R"(
kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes:
    a:
      capacity: {nvidia.com/gpu: 500m}
      devices:
        gpu: {count: 2}
        fpga: {count: 3}
)");
    CHECK(amount(topology, ServerId{0}, "nvidia.com/gpu") == 500);
    CHECK(amount(topology, ServerId{0}, "fpga") == 3);
}

TEST_CASE("spec: devices can be listed one by one", "[topologies][spec]") {
    const core::Topology topology = topology_of(R"(
kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes:
    a:
      devices:
        gpu:
          - {model: A100, memory: 40Gi, numa: 0, nvlink: 1}
          - {model: A100, memory: 40Gi, numa: 1, nvlink: 0}
          - {model: A100, memory: 40Gi, numa: 1, nvlink: 1}
)");
    core::DeviceGroup expected;
    expected.kind = "gpu";
    expected.count = 3;
    expected.model = "A100";
    expected.memory_bytes = core::Amount{40} << 30;
    expected.numa = {0, 1, 1};
    expected.nvlink = {{1}, {0, 2}};
    CHECK(topology.machine_types().front().devices == std::vector{expected});
    CHECK(amount(topology, ServerId{0}, "nvidia.com/gpu") == 3'000);
}

TEST_CASE("spec: resources asked for exist though no machine has them", "[topologies][spec]") {
    core::ResourceSchema also;
    also.add("pods");
    also.add("cpu");
    const auto reading = berth::tests::read(R"(
kind: Topology
spec:
  levels: [{name: server, count: 1}]
  machines: [{type: a}]
  machineTypes: {a: {capacity: {cpu: 2}}}
)",
                                            also);
    REQUIRE(reading.topology);
    CHECK(reading.topology->resources().names() == std::vector<std::string>{"cpu", "pods"});
    CHECK(amount(*reading.topology, ServerId{0}, "cpu") == 2'000);
    CHECK(amount(*reading.topology, ServerId{0}, "pods") == 0);
}

TEST_CASE("spec: a million servers in five levels", "[topologies][spec]") {
    const core::Topology topology = topology_of(R"(
kind: Topology
spec:
  levels:
    - {name: region, count: 5}
    - {name: zone, count: 4}
    - {name: room, count: 25}
    - {name: rack, count: 50}
    - {name: server, count: 40}
  machines: [{type: a, weight: 3}, {type: b}, {type: c, at: {room: 499}}]
  machineTypes: {a: {capacity: {cpu: 8}}, b: {capacity: {cpu: 16}}, c: {}}
)");
    CHECK(topology.node_count() == 1 + 5 + 20 + 500 + 25'000 + 1'000'000);
    CHECK(topology.server_count() == 1'000'000);
    const NodeId last = topology.node_of(ServerId{999'999});
    CHECK(topology.path(last) == "cluster/region-4/zone-19/room-499/rack-24999/server-999999");
    CHECK(topology.machine_type(ServerId{998'000}).name == "c");
    std::uint32_t of_b = 0;
    for (std::uint32_t server = 0; server < topology.server_count(); ++server) {
        of_b += topology.machine_type_index(ServerId{server}) == 1 ? 1 : 0;
    }
    CHECK(of_b == 998'000 / 4);
    for (const NodeId rack : topology.level_nodes(Level{4})) {
        if (topology.children(rack).size() != 40) {
            FAIL(topology.path(rack));
        }
    }
}
