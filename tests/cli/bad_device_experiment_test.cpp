#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string sound = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: devices}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes:
        host: {capacity: {cpu: 8}, devices: {gpu: {count: 8}, rdma: {count: 2}}}
  types:
    one: {cpu: 1, nvidia.com/gpu: 1}
    near:
      nvidia.com/gpu: 2
      koordinator.sh/rdma: 100
      annotations:
        scheduling.koordinator.sh/device-joint-allocate: '{"deviceTypes": ["gpu", "rdma"]}'
        scheduling.koordinator.sh/device-allocate-hint: '{"rdma":
          {"selector": {"matchExpressions": [{"key": "model", "operator": "DoesNotExist"}]}}}'
  workload:
    - pods: [{type: one, at: 1s, lifetime: 1m}, {type: near, at: 2s, lifetime: 1m}]
  scheduler:
    profile:
      reserve: [{name: device-allocator, rules: documented, solver: greedy}]
)";

const std::string reserve = "[{name: device-allocator, rules: documented, solver: greedy}]";

/// Like check_mistakes(), and checks that each mistake causes only one error.
void check_single_mistakes(const std::vector<Mistake>& mistakes) {
    check_mistakes("run", sound, mistakes);
    const Folder folder;
    for (const Mistake& mistake : mistakes) {
        CAPTURE(mistake.what);
        folder.write("bad.yaml", replaced(sound, mistake.instead_of, mistake.put));
        const std::string told = folder.berth({"validate", "bad.yaml"}).err;
        const std::size_t first = told.find(": error: ");
        CHECK(told.find(": error: ", first + 1) == std::string::npos);
    }
}

}  // namespace

TEST_CASE("allocators of devices are refused where they are wrong", "[cli][bad-input]") {
    check_single_mistakes({
        {"an unknown plug-in",
         reserve,
         "[device-alocator]",
         "24:17: error: unknown reserve plug-in 'device-alocator': expected first-fit, "
         "group-allocator, device-allocator or gpu-sharing (did you mean 'device-allocator'?)"},
        {"no name",
         reserve,
         "[{rules: published}]",
         "24:17: error: found a map: expected a plug-in's name, or {name: ..., its own "
         "options}"},
        {"two allocators",
         reserve,
         "[device-allocator, first-fit]",
         "24:16: error: found a list: expected one allocator of devices"},
        {"unknown rules",
         "rules: documented",
         "rules: paper",
         "24:49: error: unknown rules 'paper': expected documented or published"},
        {"an unknown solver",
         "solver: greedy",
         "solver: fast",
         "24:69: error: unknown solver 'fast': expected greedy or exact"},
        {"an unknown option",
         "solver: greedy",
         "solvers: greedy",
         "24:61: error: unknown key 'solvers' in device-allocator: expected name, rules or "
         "solver (did you mean 'solver'?)"},
        {"options of first-fit",
         reserve,
         "[{name: first-fit, rules: published}]",
         "24:35: error: unknown key 'rules' in first-fit: expected name"},
        {"options at filter",
         "      reserve:",
         "      filter: [{name: device-allocator, rules: published}]\n      reserve:",
         "24:41: error: unknown key 'rules' in device-allocator: expected name"},
        {"another allocator at filter",
         "      reserve:",
         "      filter: [group-allocator]\n      reserve:",
         "24:16: error: unknown filter plug-in 'group-allocator': expected resources-fit, "
         "device-allocator or allocation-candidates; group-allocator is for reserve"},
        {"another allocator at score",
         "      reserve:",
         "      score: [group-allocator]\n      reserve:",
         "24:15: error: unknown score plug-in 'group-allocator': expected balanced-allocation, "
         "best-fit, "
         "dot-product, first-fit, fragmentation-gradient-descent, gpu-clustering, gpu-packing, "
         "least-allocated, most-allocated, random, topology-aware-fragmentation, "
         "topology-aware-packing or worst-fit; group-allocator is for reserve"},
        {"first-fit's score",
         reserve,
         "[first-fit]\n      score: [{name: first-fit, weight: 0}]",
         "25:41: error: found '0': expected a whole number from 1 to 1000000"},
        {"more devices than are counted",
         "gpu: {count: 8}",
         "gpu: {count: 65}",
         "6:5: error: machine type 'host': the machine has 65 devices of type gpu: expected "
         "at most 64"},
    });
}

TEST_CASE("requests for devices are refused where they are wrong", "[cli][bad-input]") {
    check_single_mistakes({
        {"shares for the group allocator",
         "one: {cpu: 1, nvidia.com/gpu: 1}\n",
         "one: {cpu: 1, koordinator.sh/gpu: 50}\n    x: {resource/group/gpu/0/cards: 1}\n",
         "13:8: error: type 'x' asks for group resources: expected reserve: [group-allocator]"},
        {"groups for the device allocator",
         "one: {cpu: 1, nvidia.com/gpu: 1}",
         "one: {cpu: 1, resource/group/gpugrp0/A/gpu/0/cards: 1}",
         "12:10: error: type 'one' asks for group resources: expected reserve: "
         "[group-allocator]"},
        {"no multiple",
         "koordinator.sh/rdma: 100",
         "koordinator.sh/rdma: 150",
         "14:7: error: type 'near': invalid resource unit koordinator.sh/rdma: 150: expected "
         "one of the combinations of docs/reference/allocate.md"},
        {"resources that go together never",
         "one: {cpu: 1, nvidia.com/gpu: 1}",
         "one: {cpu: 1, nvidia.com/gpu: 1, koordinator.sh/gpu: 50}",
         "12:10: error: type 'one': invalid resource device requests: [koordinator.sh/gpu "
         "nvidia.com/gpu]: expected one of the combinations of docs/reference/allocate.md"},
        {"a negative number of GPUs",
         "cpu: 1, nvidia.com/gpu: 1",
         "cpu: 1, nvidia.com/gpu: -1",
         "12:35: error: '-1' of nvidia.com/gpu: expected no negative amount"},
        {"a fraction of a GPU",
         "cpu: 1, nvidia.com/gpu: 1",
         "cpu: 1, nvidia.com/gpu: 500m",
         "12:35: error: found '500m': expected whole GPUs; a share is koordinator.sh/gpu: 50"},
        {"a number of GPUs that is none",
         "cpu: 1, nvidia.com/gpu: 1",
         "cpu: 1, nvidia.com/gpu: some",
         "12:35: error: 'some' of nvidia.com/gpu: expected a Kubernetes quantity such as "
         "500m, 16 or 256Gi"},
        {"too many GPUs to count",
         "cpu: 1, nvidia.com/gpu: 1",
         "cpu: 1, nvidia.com/gpu: 9223372036854775807",
         "12:35: error: '9223372036854775807' of nvidia.com/gpu: expected at most "
         "9223372036854775807 milli-GPU"},
        {"a negative share",
         "koordinator.sh/rdma: 100",
         "koordinator.sh/rdma: -100",
         "15:28: error: found '-100': expected a whole number such as 1, or 80Gi of memory"},
        {"a fraction of a share",
         "koordinator.sh/rdma: 100",
         "koordinator.sh/rdma: 0.5",
         "15:28: error: found '0.5': expected a whole number such as 1, or 80Gi of memory"},
        {"an amount that is a list",
         "koordinator.sh/rdma: 100",
         "koordinator.sh/rdma: [1]",
         "15:28: error: found a list: expected a whole number such as 1, or 80Gi of memory"},
        {"too many shares to count",
         "cpu: 1, nvidia.com/gpu: 1",
         "cpu: 1, koordinator.sh/gpu: 1000000000000000000",
         "12:39: error: found '1000000000000000000': expected at most 9223372036854775"},
    });
}

TEST_CASE("annotations of types are refused where they are wrong", "[cli][bad-input]") {
    check_single_mistakes({
        {"annotations that are none",
         "one: {cpu: 1, nvidia.com/gpu: 1}",
         "one: {cpu: 1, nvidia.com/gpu: 1, annotations: 3}",
         "12:51: error: found '3': expected annotations by name"},
        {"an annotation that is no text",
         "'{\"deviceTypes\": [\"gpu\", \"rdma\"]}'",
         "{deviceTypes: [gpu]}",
         "17:58: error: found a map: expected a text that is JSON, as on a Pod"},
        {"no JSON",
         "\"rdma\"]}'",
         "\"rdma\"}'",
         "17:58: error: invalid DeviceJointAllocate annotation, err: no JSON at line 1, "
         "column 31: expected an object"},
        {"no object",
         "'{\"deviceTypes\": [\"gpu\", \"rdma\"]}'",
         "'[]'",
         "17:58: error: invalid DeviceJointAllocate annotation, err: the annotation is a "
         "list: expected an object"},
        {"an unknown type of devices",
         "[\"gpu\", \"rdma\"]",
         "[\"gpu\", \"nic\"]",
         "17:58: error: DeviceJointAllocate.deviceTypes: unknown device type 'nic': expected "
         "gpu, rdma or fpga"},
        {"an unknown operator",
         "DoesNotExist",
         "Missing",
         "18:57: error: invalid Selector of DeviceHint, deviceType: rdma, err: \"Missing\" is "
         "not a valid label selector operator: expected an annotation as in "
         "docs/reference/allocate.md"},
        {"an operator without values",
         "DoesNotExist",
         "In",
         "18:57: error: invalid Selector of DeviceHint, deviceType: rdma, err: values: "
         "Invalid value: []: for 'in', 'notin' operators, values set can't be empty: expected "
         "an annotation as in docs/reference/allocate.md"},
        {"an unknown strategy",
         "{\"selector\"",
         "{\"allocateStrategy\": \"All\", \"selector\"",
         "18:57: error: rdma.allocateStrategy is 'All': expected ApplyForAll or "
         "RequestsAsCount"},
        {"an unknown scope",
         "[\"gpu\", \"rdma\"]}",
         "[\"gpu\", \"rdma\"], \"requiredScope\": \"SameRack\"}",
         "17:58: error: DeviceJointAllocate.requiredScope is 'SameRack': expected SamePCIe"},
    });
}

TEST_CASE("devices that nobody allocates are refused", "[cli][bad-input]") {
    struct Row {
        std::string type;
        std::string reserve;
        std::string message;  ///< Empty: there is no error.
    };
    const Row row = GENERATE(
        Row{"{nvidia.com/gpu: 1}", "[]", ""},
        Row{"{nvidia.com/gpu: 500m}", "[]", ""},
        Row{"{nvidia.com/gpu: 1, koordinator.sh/rdma: 100}",
            "[]",
            " asks for devices without an allocator: expected reserve: "
            "[device-allocator], [group-allocator] or [first-fit] in the profile"},
        Row{"{koordinator.sh/gpu: 50}",
            "[]",
            " asks for devices without an allocator: expected reserve: "
            "[device-allocator], [group-allocator] or [first-fit] in the profile"},
        Row{"{resource/group/gpu/0/cards: 1}",
            "[]",
            " asks for devices without an allocator: expected reserve: "
            "[device-allocator], [group-allocator] or [first-fit] in the profile"},
        Row{"{koordinator.sh/gpu: 50}",
            "[first-fit]",
            " asks for shares of GPUs or other devices: expected reserve: [device-allocator]"},
        Row{"{koordinator.sh/gpu: 50}",
            "[group-allocator]",
            " asks for shares of GPUs or other devices: expected reserve: [device-allocator]"},
        Row{"{amd.com/gpu: 1}",
            "[group-allocator]",
            " asks for shares of GPUs or other devices: expected reserve: [device-allocator]"},
        Row{"{amd.com/gpu: 1}", "[device-allocator]", ""},
        Row{"{resource/group/gpu/0/cards: 1}",
            "[first-fit]",
            " asks for group resources: expected reserve: [group-allocator]"},
        Row{"{resource/group/gpu/0/cards: 1}", "[group-allocator]", ""},
        Row{"{nvidia.com/gpu: 1, koordinator.sh/rdma: 150}",
            "[first-fit]",
            ": invalid resource unit koordinator.sh/rdma: 150: expected one of the combinations "
            "of docs/reference/allocate.md"},
        Row{"{nvidia.com/gpu: 1, koordinator.sh/rdma: 150}",
            "[group-allocator]",
            ": invalid resource unit koordinator.sh/rdma: 150: expected one of the combinations "
            "of docs/reference/allocate.md"});
    CAPTURE(row.type, row.reserve);
    const Folder folder;
    const std::size_t near = sound.find("    near:");
    std::string text = sound;
    text.replace(near, sound.find("  workload:") - near, "    near: " + row.type + "\n");
    folder.write("bad.yaml", replaced(text, reserve, row.reserve));
    const Answer answer = folder.berth({"validate", "bad.yaml"});
    CHECK(answer.status == (row.message.empty() ? 0 : 2));
    CHECK_THAT(answer.first_line(),
               !Catch::Contains("error") ||
                   Catch::Equals("bad.yaml:13:11: error: type 'near'" + row.message));
}

TEST_CASE("an annotation that nobody reads is a warning", "[cli]") {
    const Folder folder;
    folder.write("odd.yaml", replaced(sound, "device-allocate-hint", "device-alocate-hint"));
    const Answer answer = folder.berth({"run", "odd.yaml", "--quiet"});
    CHECK(answer.status == 0);
    CHECK(answer.first_line() ==
          "odd.yaml:18:9: warning: unknown annotation "
          "'scheduling.koordinator.sh/device-alocate-hint', which is not read: expected "
          "scheduling.koordinator.sh/device-allocate-hint, "
          "scheduling.koordinator.sh/device-joint-allocate or "
          "scheduling.koordinator.sh/gpu-partition-spec (did you mean "
          "'scheduling.koordinator.sh/device-allocate-hint'?)");
}

TEST_CASE("ties are drawn by the policies of the FGD paper alone", "[cli][bad-input]") {
    const std::string before = sound.substr(0, sound.find("    one:"));
    const auto with = [&](const std::string& score, const std::string& ties) {
        return before + "    one: {nvidia.com/gpu: 500m}\n" +
               "  workload:\n    - pods: [{type: one, at: 1s, lifetime: 1m}]\n" +
               "  scheduler:\n    profile:\n      score: [" + score + "]\n" +
               "      reserve: [{name: gpu-sharing, ties: " + ties + "}]\n";
    };
    const Folder folder;
    const std::string score =
        GENERATE(values<std::string>({"topology-aware-packing", "least-allocated"}));
    folder.write("ties.yaml", with(score, "random"));
    const Answer answer = folder.berth({"validate", "ties.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "ties.yaml:18:43: error: ties: random cannot be used with score plug-ins that take the "
          "first of equal servers: expected first, or a score that draws, such as best-fit");
    folder.write("misspelled.yaml", with("best-fitt", "random"));
    CHECK(folder.berth({"validate", "misspelled.yaml"}).err.find("take the first") ==
          std::string::npos);
    folder.write("first.yaml", with(score, "first"));
    CHECK(folder.berth({"validate", "first.yaml"}).status == 0);
    folder.write("drawn.yaml", with("best-fit", "random"));
    CHECK(folder.berth({"validate", "drawn.yaml"}).status == 0);
}

TEST_CASE("where GPUs are shared, a pod asks for a share of one or for whole ones",
          "[cli][bad-input]") {
    const std::string before = sound.substr(0, sound.find("    one:"));
    const std::string after = R"(  workload:
    - pods: [{type: one, at: 1s, lifetime: 1m}]
  scheduler:
    profile: {reserve: [gpu-sharing]}
)";
    const Folder folder;
    folder.write("share.yaml", before + "    one: {nvidia.com/gpu: 500m}\n" + after);
    CHECK(folder.berth({"run", "share.yaml", "--quiet"}).status == 0);
    folder.write("more.yaml", before + "    one: {nvidia.com/gpu: 1500m}\n" + after);
    const Answer answer = folder.berth({"run", "more.yaml", "--quiet"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "more.yaml:12:27: error: found '1500m': expected a share of one GPU, below 1, or whole "
          "GPUs");
}
