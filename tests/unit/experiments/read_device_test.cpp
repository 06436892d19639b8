#include "experiments/program/config/cluster/read_device.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <tuple>

#include "experiments/program/support/documents.hpp"

namespace {

using namespace berth;
using experiments::ReadDevice;

std::vector<ReadDevice> read(const std::string& text, core::Diagnostics& diagnostics) {
    const auto source = std::make_shared<core::SourceText>(core::SourceText{"d.yaml", text});
    return experiments::read_devices(experiments::parse_documents(source), diagnostics);
}

/// All errors, one after the other.
std::string errors_of(const std::string& text) {
    core::Diagnostics diagnostics;
    (void)read(text, diagnostics);
    try {
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        return error.what();
    }
    return {};
}

/// A Device object as a cluster prints it, with fields that berth ignores.
const std::string node_1 = R"(apiVersion: scheduling.koordinator.sh/v1alpha1
kind: Device
metadata:
  name: node-1
  uid: 8c25
  labels:
    node.koordinator.sh/gpu-model: H800
    node.koordinator.sh/gpu-partition-policy: Honor
  annotations:
    scheduling.koordinator.sh/gpu-partitions: |-
      {"1": [{"minors": [0], "gpuLinkType": "NVLink", "allocationScore": 1}],
       "2": [{"minors": [1, 0], "gpuLinkType": "NVLink", "ringBusBandwidth": "200Gi",
              "allocationScore": -2}]}
spec:
  devices:
  - type: gpu
    id: GPU-8c25
    minor: 0
    moduleID: 3
    health: true
    labels: {type: fakeW}
    conditions: []
    resources:
      koordinator.sh/gpu-core: "100"
      koordinator.sh/gpu-memory: 83201216Ki
      koordinator.sh/gpu-memory-ratio: 100
    topology: {socketID: 0, nodeID: -1, pcieID: "0", busID: "0000:08:00.0"}
  - {type: gpu, minor: 1, health: false}
  - type: rdma
    id: "0000:1f:00.0"
    minor: 1
    health: true
    resources: {koordinator.sh/rdma: "100"}
    topology: {socketID: 1, nodeID: 1, pcieID: pcie-3}
    vfGroups:
    - labels: {type: general}
      vfs: [{minor: -1, busID: "0000:1f:00.2"}, {busID: "0000:1f:00.3"}]
status: {allocations: [{type: gpu}]}
)";

}  // namespace

TEST_CASE("devices: an object of a cluster is read whole", "[experiments][devices]") {
    core::Diagnostics diagnostics;
    const auto devices = read(node_1, diagnostics);
    CHECK_NOTHROW(diagnostics.throw_if_failed());
    REQUIRE(diagnostics.warnings().size() == 1);
    CHECK_THAT(diagnostics.warnings().front(), Catch::Contains("allocations"));
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].name == "node-1");
    const core::MachineDevices& machine = devices[0].machine;
    CHECK(machine.device_labels.at("node.koordinator.sh/gpu-model") == "H800");
    REQUIRE(machine.devices.size() == 3);
    const core::DeviceDescription& gpu = machine.devices[0];
    CHECK(gpu.type == core::DeviceType::gpu);
    CHECK(gpu.uuid == "GPU-8c25");
    CHECK(gpu.module_id == 3);
    CHECK(gpu.healthy);
    CHECK(gpu.labels == core::Labels{{"type", "fakeW"}});
    CHECK(gpu.resources.at("koordinator.sh/gpu-memory") == 83201216LL * 1024);
    REQUIRE(gpu.topology);
    CHECK(gpu.topology->numa_node == -1);
    CHECK(gpu.topology->pcie == "0");
    CHECK_FALSE(machine.devices[1].healthy);
    CHECK_FALSE(machine.devices[1].topology);
    const core::DeviceDescription& nic = machine.devices[2];
    CHECK(nic.topology->pcie == "pcie-3");
    REQUIRE(nic.vf_groups.size() == 1);
    CHECK(nic.vf_groups[0].labels == core::Labels{{"type", "general"}});
    REQUIRE(nic.vf_groups[0].functions.size() == 2);
    CHECK(nic.vf_groups[0].functions[0].minor == -1);  // as the real system's own tests have it
    CHECK(nic.vf_groups[0].functions[1].minor == 0);
    CHECK(nic.vf_groups[0].functions[1].bus_id == "0000:1f:00.3");
    REQUIRE(machine.partitions);
    CHECK(machine.partitions->at(1)[0].minors == std::vector<std::int32_t>{0});
    const core::GpuPartition& pair = machine.partitions->at(2).at(0);
    CHECK(pair.minors == std::vector<std::int32_t>{1, 0});
    CHECK(pair.allocation_score == -2);
    CHECK(pair.ring_bus_bandwidth == 200LL << 30);
    CHECK_FALSE(core::DeviceInventory::refusal(machine));
}

TEST_CASE("devices: in lists too, typed or not", "[experiments][devices]") {
    core::Diagnostics diagnostics;
    const auto devices = read(R"(kind: List
items:
- {kind: Device, metadata: {name: a}, spec: {}}
- {kind: Node, metadata: {name: a}}
---
{kind: DeviceList, items: [{metadata: {name: b}}, {kind: Device, metadata: {name: c}}]}
---
{kind: Pod, metadata: {name: p}}
)",
                              diagnostics);
    CHECK_NOTHROW(diagnostics.throw_if_failed());
    REQUIRE(devices.size() == 3);
    CHECK(devices[0].name == "a");
    CHECK(devices[2].name == "c");
}

TEST_CASE("devices: what is odd and still counts is warned of", "[experiments][devices]") {
    core::Diagnostics diagnostics;
    const auto devices = read(R"(kind: Device
metadata: {name: n, labels: {node.koordinator.sh/gpu-partition-policy: honor}}
spec:
  devices:
  - {type: gpu, minor: 0, resources: {koordinator.sh/gpu-cor: 100}}
)",
                              diagnostics);
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].machine.devices[0].resources.at("koordinator.sh/gpu-cor") == 100);
    REQUIRE(diagnostics.warnings().size() == 3);
    CHECK_THAT(diagnostics.warnings()[0], Catch::Contains("d.yaml:2:") && Catch::Contains("Honor"));
    CHECK_THAT(diagnostics.warnings()[1], Catch::Contains("d.yaml:5:5: warning: a device has no"));
    CHECK_THAT(diagnostics.warnings()[2],
               Catch::Contains("d.yaml:5:39") &&
                   Catch::Contains("(did you mean 'koordinator.sh/gpu-core'?)"));
}

TEST_CASE("devices: every mistake of a document is reported at once", "[experiments][devices]") {
    const std::string all = errors_of(R"(kind: Device
metadata: {name: n}
spec:
  devices:
  - {type: gpus, minor: 0, health: true}
  - {type: gpu, minor: 0, health: yes}
  - {type: gpu, minor: 0, health: true}
  - {type: rdma, minor: 0, health: true, resources: {koordinator.sh/rdma: 1.5}}
)");
    for (const char* error :
         {"d.yaml:5:12: error: found 'gpus': expected gpu, rdma or fpga (did you mean 'gpu'?)",
          "d.yaml:6:35: error: found 'yes': expected true or false",
          "d.yaml:7:24: error: gpu 0 is there twice: expected each minor of a type once",
          "d.yaml:8:75: error: found '1.5': expected a whole number of units"}) {
        CHECK_THAT(all, Catch::Contains(error));
    }
}

TEST_CASE("devices: a partition table's mistakes are shown in the annotation",
          "[experiments][devices]") {
    const auto with = [](const std::string& annotation) {
        return "kind: Device\nmetadata:\n  name: n\n  annotations:\n"
               "    scheduling.koordinator.sh/gpu-partitions: " +
               annotation +
               "\nspec:\n  devices:\n  - {type: gpu, minor: 0, health: true}\n"
               "  - {type: gpu, minor: 1, health: true}\n";
    };
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [what, annotation, error] = GENERATE(table<std::string, std::string, std::string>({
        Row{"sound", R"('{"1": [{"minors": [1]}]}')", ""},
        Row{"null in quotes is no table", "'null'", "5:47: error: found 'null': expected a map"},
        Row{"no JSON, in quotes",
            R"('{"1": [{"minors": [0}]}')",
            "5:68: error: no JSON from byte 21 of the text on: expected a map from numbers of "
            "GPUs"},
        Row{"no JSON, in a block",
            "|-\n      {\"1\": [\n       {\"minors\": [0]},\n       ]}",
            "8:8: error: no JSON from byte 28"},
        Row{"cut off", R"('{"1": ')", "5:54: error: no JSON from byte 7"},
        Row{"a map of YAML", "{1: [{minors: [0]}]}", "5:47: error: found a map: expected a text"},
        Row{"a list",
            "'[]'",
            "5:48: error: found an empty list: expected a map from numbers of GPUs"},
        Row{"a count that is none",
            R"('{"x": []}')",
            "5:49: error: found 'x': expected a whole number from 1 to 64"},
        Row{"a partition of another size",
            "|\n      {\"2\":\n        [{\"minors\": [0]}]}",
            "7:21: error: found 1 minors: expected 2"},
        Row{"a GPU twice",
            R"('{"2": [{"minors": [0, 0]}]}')",
            "5:70: error: found '0': expected each minor once"},
        Row{"a GPU that is not there",
            R"('{"1": [{"minors": [7]}]}')",
            "5:47: error: a partition of 1 has the GPU 7: expected the minors of GPUs"},
        Row{"a misspelt key", R"('{"1": [{"minor": [0]}]}')", "5:56: error: unknown key 'minor'"},
        Row{"a bandwidth that is none",
            R"('{"1": [{"minors": [0], "ringBusBandwidth": "fast"}]}')",
            "5:91: error: found 'fast': expected"},
        Row{"escapes hide the place: the text's own",
            R"("{\"1\": [{\"minors\": [0, 1]}]}")",
            "5:47: error: found 2 minors: expected 1"},
        Row{"a number beyond a double",
            R"('{"1": [], "x": 1e999}')",
            "5:47: error: a number has no room: expected at most 1.7e308"},
        Row{"a key twice",
            R"('{"1": [], "1": []}')",
            "5:47: error: in the text: the key '1' occurs twice: expected each key once"},
        Row{"a control character",
            R"('{"1": [], "x": "\u0001"}')",
            "5:47: error: in the text: a control character, \\x01: expected none"},
        Row{"a list in lists without end",
            "'" + std::string(600, '[') + std::string(600, ']') + "'",
            "5:47: error: in the text: nested too deep: expected at most 500 levels"},
    }));
    CAPTURE(what);
    const std::string errors = errors_of(with(annotation));
    if (error.empty()) {
        CHECK(errors.empty());
    } else {
        CHECK_THAT(errors, Catch::Contains("d.yaml:" + error));
    }
}

TEST_CASE("devices: what no machine can have is refused", "[experiments][devices]") {
    std::string many = "kind: Device\nmetadata: {name: n}\nspec:\n  devices:\n";
    for (int i = 0; i < 65; ++i) {
        many += "  - {type: gpu, minor: " + std::to_string(i) + ", health: true}\n";
    }
    CHECK_THAT(errors_of(many), Catch::Contains("d.yaml:2:18: error: the machine has 65 devices"));
    CHECK_THAT(errors_of("{kind: Device, metadata: {}}"),
               Catch::Contains("a Device has no metadata.name: expected the name of its node"));
    CHECK_THAT(errors_of("{kind: Device, metadata: {name: n}}\n---\n"
                         "{kind: Device, metadata: {name: n}}"),
               Catch::Contains("d.yaml:3:33: error: Device n is there twice"));
}
