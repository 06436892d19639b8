#include "experiments/program/config/workload/device_annotations.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

using namespace berth;
using core::DeviceType;
using experiments::Annotations;
using experiments::UnknownWords;

namespace {

const std::string hint(experiments::device_annotation::hint);
const std::string joint(experiments::device_annotation::joint);
const std::string spec(experiments::device_annotation::partition_spec);

/// What the pod is told, or "" when it can be placed.
std::string refusal(const std::string& name, const std::string& text, UnknownWords unknown) {
    core::DevicePod pod;
    try {
        const auto refused = experiments::read_device_annotations({{name, text}}, unknown, pod);
        return refused ? refused->text() : "";
    } catch (const experiments::RequestError& error) {
        return std::string("error: ") + error.what();
    }
}

}  // namespace

TEST_CASE("device annotations: what they say is read", "[experiments][devices]") {
    core::DevicePod pod;
    const Annotations annotations{
        {joint, R"({"deviceTypes": ["gpu", "rdma"], "requiredScope": "SamePCIe"})"},
        {hint,
         R"({"rdma": {"selector": {"matchLabels": {"type": "fakeW"}}, "vfSelector": {},
                      "allocateStrategy": "RequestsAsCount", "exclusivePolicy": "PCIeLevel"},
             "gpu": {"requiredTopologyScope": "NUMANode", "selector": null}, "fpga": null})"},
        {spec, R"({"allocatePolicy": "Restricted", "ringBusBandwidth": "100Gi"})"}};
    REQUIRE_FALSE(experiments::read_device_annotations(annotations, UnknownWords::refused, pod));
    CHECK(pod.joint->types == std::vector{DeviceType::gpu, DeviceType::rdma});
    CHECK(pod.joint->same_pcie);
    const core::DeviceHint& rdma = pod.hints[DeviceType::rdma];
    CHECK(rdma.selector->match_labels == core::Labels{{"type", "fakeW"}});
    CHECK(rdma.vf_selector.has_value());
    CHECK(rdma.strategy == core::AllocateStrategy::requests_as_count);
    CHECK(rdma.exclusive == core::ExclusivePolicy::pcie_level);
    CHECK(pod.hints[DeviceType::gpu].required_scope == core::TopologyScope::numa_node);
    CHECK_FALSE(pod.hints[DeviceType::gpu].selector.has_value());
    CHECK(pod.partition_spec->restricted);
    CHECK(pod.partition_spec->ring_bus_bandwidth == core::Amount{100} << 30);
}

TEST_CASE("device annotations: what is none is refused in the program's words, with its place",
          "[experiments][devices]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [name, text, message] = GENERATE(table<std::string, std::string, std::string>({
        Row{hint,
            "{\"rdma\":\n  oops}",
            "invalid DeviceAllocateHint annotation, err: no JSON at line 2, column 3: expected an "
            "object"},
        Row{hint,
            "{\"rdma\": 1e999}",
            "invalid DeviceAllocateHint annotation, err: a number has no room: expected at most "
            "1.7e308"},
        Row{hint,
            "",
            "invalid DeviceAllocateHint annotation, err: no JSON at line 1, column 1: expected an "
            "object"},
        Row{hint,
            "[1]",
            "invalid DeviceAllocateHint annotation, err: the annotation is a list: expected an "
            "object"},
        Row{hint,
            R"({"rdma": 3})",
            "invalid DeviceAllocateHint annotation, err: rdma is 3: expected an object"},
        Row{hint,
            R"({"rdma": {"exclusivePolicy": 1}})",
            "invalid DeviceAllocateHint annotation, err: rdma.exclusivePolicy is 1: expected a "
            "text"},
        Row{joint,
            "{",
            "invalid DeviceJointAllocate annotation, err: no JSON at line 1, column 2: expected an "
            "object"},
        Row{joint,
            R"({"deviceTypes": "gpu"})",
            "invalid DeviceJointAllocate annotation, err: deviceTypes is \"gpu\": expected a list"},
        Row{joint,
            R"({"deviceTypes": [1]})",
            "invalid DeviceJointAllocate annotation, err: deviceTypes has 1: expected a text"},
        Row{spec,
            R"({"ringBusBandwidth": "fast"})",
            "invalid GPUPartitionSpec annotation, err: ringBusBandwidth is \"fast\": expected a "
            "quantity that is not negative"},
        Row{hint,
            R"({"rdma": {"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}})",
            "invalid Selector of DeviceHint, deviceType: rdma, err: \"Near\" is not a valid label "
            "selector operator"},
        Row{hint,
            R"({"gpu": {"vfSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}})",
            "invalid VFSelector of DeviceHint, deviceType: gpu, err: values: Invalid value: []: "
            "for 'in', 'notin' operators, values set can't be empty"},
        Row{hint,
            R"({"gpu": {"selector": {"matchExpressions":
                [{"key": "a", "operator": "Exists", "values": ["b"]}]}}})",
            "invalid Selector of DeviceHint, deviceType: gpu, err: values: Invalid value: "
            "[\"b\"]: values set must be empty for exists and does not exist"},
        Row{hint,
            R"({"gpu": {"selector": {"matchExpressions": [{"operator": "Exists"}]}}})",
            "invalid Selector of DeviceHint, deviceType: gpu, err: gpu.selector.matchExpressions "
            "has no key: expected one"},
        Row{hint,
            R"({"gpu": {"selector": {"matchLabels": {"a": 1}}}})",
            "invalid Selector of DeviceHint, deviceType: gpu, err: gpu.selector.matchLabels.a is "
            "1: expected a text"},
        Row{hint,
            R"({"gpu": {"selector": {"matchExpressions": 1}}})",
            "invalid Selector of DeviceHint, deviceType: gpu, err: gpu.selector.matchExpressions "
            "is 1: expected a list"},
    }));
    CAPTURE(name, text);
    CHECK(refusal(name, text, UnknownWords::refused) == message);
    CHECK(refusal(name, text, UnknownWords::ignored) == message);
}

TEST_CASE("device annotations: an unknown word is an error, or passed over as the program does",
          "[experiments][devices]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [name, text, message] = GENERATE(table<std::string, std::string, std::string>({
        Row{hint,
            R"({"tpu": {}})",
            "error: DeviceAllocateHint: unknown device type 'tpu': expected gpu, rdma or fpga"},
        Row{joint,
            R"({"deviceTypes": ["gpu", "nic"]})",
            "error: DeviceJointAllocate.deviceTypes: unknown device type 'nic': expected gpu, "
            "rdma or fpga"},
        Row{joint,
            R"({"requiredScope": "SameNUMA"})",
            "error: DeviceJointAllocate.requiredScope is 'SameNUMA': expected SamePCIe"},
        Row{hint,
            R"({"rdma": {"allocateStrategy": "ApplyforAll"}})",
            "error: rdma.allocateStrategy is 'ApplyforAll' (did you mean 'ApplyForAll'?): expected "
            "ApplyForAll or RequestsAsCount"},
        Row{hint,
            R"({"rdma": {"exclusivePolicy": "Node"}})",
            "error: rdma.exclusivePolicy is 'Node': expected DeviceLevel or PCIeLevel"},
        Row{hint,
            R"({"gpu": {"requiredTopologyScope": "Rack"}})",
            "error: gpu.requiredTopologyScope is 'Rack': expected Node or NUMANode or PCIe or "
            "Device"},
        Row{spec,
            R"({"allocatePolicy": "Some"})",
            "error: GPUPartitionSpec.allocatePolicy is 'Some': expected Restricted or BestEffort"},
    }));
    CAPTURE(text);
    CHECK(refusal(name, text, UnknownWords::refused) == message);
    CHECK(refusal(name, text, UnknownWords::ignored).empty());
}

TEST_CASE("device annotations: a partition table is read, or refused with its place",
          "[experiments][devices]") {
    const auto read = experiments::read_gpu_partitions(
        R"({"2": [{"minors": [0, 1], "allocationScore": 3, "ringBusBandwidth": "1k"}]})");
    REQUIRE(read.at(2).size() == 1);
    CHECK(read.at(2)[0].minors == std::vector<std::int32_t>{0, 1});
    CHECK(read.at(2)[0].allocation_score == 3);
    CHECK(read.at(2)[0].ring_bus_bandwidth == 1000);
    using Row = std::pair<std::string, std::string>;
    const auto [text, error] = GENERATE(table<std::string, std::string>({
        Row{"{", "no JSON at line 1, column 2"},
        Row{"[]", "expected an object"},
        Row{R"({"two": []})", "'two': expected a number of GPUs"},
        Row{R"({"0": []})", "'0': expected a number of GPUs"},
        Row{R"({"1": 3})", "1 is 3: expected a list"},
        Row{R"({"1": [{}]})", "1 has no 'minors'"},
        Row{R"({"1": [{"minors": [-1]}]})", "1.minors is -1"},
        Row{R"({"1": [{"minors": [0, 1]}]})", "1 has a partition of 2 GPUs: expected 1"},
        Row{R"({"1": [{"minors": [0], "allocationScore": -1}]})", "allocationScore is -1"},
        Row{R"({"1": [{"minors": [0], "ringBusBandwidth": "x"}]})", "ringBusBandwidth is \"x\""},
    }));
    CAPTURE(text);
    CHECK_THROWS_WITH(
        experiments::read_gpu_partitions(text),
        Catch::StartsWith("scheduling.koordinator.sh/gpu-partitions: ") && Catch::Contains(error));
}

TEST_CASE("device annotations: amounts are Kubernetes quantities, rounded up",
          "[experiments][devices]") {
    using Row = std::pair<std::string, core::Amount>;
    const auto [text, amount] = GENERATE(table<std::string, core::Amount>({
        Row{"\"80Gi\"", core::Amount{80} << 30},
        Row{"\"1k\"", 1000},
        Row{"\"1500m\"", 2},
        Row{"3", 3},
        Row{"\"0\"", 0},
    }));
    CAPTURE(text);
    const experiments::RequestText parsed{std::string_view(text)};
    CHECK(experiments::read_device_amount(parsed.value(), "x") == amount);
}

TEST_CASE("device annotations: what was allocated is written as the program writes it",
          "[experiments][devices]") {
    core::MachineDevices machine;
    core::DeviceDescription gpu;
    gpu.minor = 0;
    gpu.uuid = "GPU-8c25ea37";
    gpu.resources = {{"koordinator.sh/gpu-core", 100},
                     {"koordinator.sh/gpu-memory", core::Amount{83201216} << 10},
                     {"koordinator.sh/gpu-memory-ratio", 100}};
    core::DeviceDescription nic;
    nic.type = DeviceType::rdma;
    nic.minor = 1;
    nic.resources = {{"koordinator.sh/rdma", 2000}};
    nic.vf_groups = {{{}, {{3, "0000:1f:00.3"}, {0, "0000:1f:00.2"}}}};
    machine.devices = {gpu, nic};
    const core::DeviceInventory inventory(machine);
    core::DeviceAllocation allocation;
    allocation[DeviceType::gpu] = {{0}, {50, 1000, core::DeviceGrants::absent}, {}, 0};
    allocation[DeviceType::rdma] = {{1 - 1}, {2000}, {1}, 0};
    CHECK(experiments::device_allocated_annotation(inventory, allocation) ==
          R"({"gpu":[{"minor":0,"resources":{"koordinator.sh/gpu-core":"50",)"
          R"("koordinator.sh/gpu-memory":"1k"},"id":"GPU-8c25ea37"}],)"
          R"("rdma":[{"minor":1,"resources":{"koordinator.sh/rdma":"2k"},)"
          R"("extension":{"vfs":[{"minor":3,"busID":"0000:1f:00.3"}]}}]})");
    allocation[DeviceType::gpu].amounts = {100, core::Amount{83201216} << 10, 100};
    CHECK_THAT(experiments::device_allocated_annotation(inventory, allocation),
               Catch::Contains(R"("koordinator.sh/gpu-memory":"83201216Ki")"));
}
