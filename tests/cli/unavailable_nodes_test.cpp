// Nodes of an existing cluster that accept no pods: cordoned or not ready; and taints.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string node(const std::string& name, const std::string& spec, const std::string& ready) {
    return R"({"kind": "Node", "metadata": {"name": ")" + name + R"("}, "spec": {)" + spec +
           R"(}, "status": {"allocatable": {"cpu": "8"}, "conditions": [{"type": "Ready", "status": ")" +
           ready + R"("}]}})";
}

/// A node with GPUs, in a zone.
std::string zoned_gpus(const std::string& name, const std::string& zone, const std::string& spec) {
    return R"({"kind": "Node", "metadata": {"name": ")" + name +
           R"(", "labels": {"topology.kubernetes.io/zone": ")" + zone + R"("}}, "spec": {)" + spec +
           R"(}, "status": {"allocatable": {"cpu": "8", "nvidia.com/gpu": "8"}}})";
}

std::string pod(const std::string& name, const std::string& on) {
    return R"({"kind": "Pod", "metadata": {"name": ")" + name +
           R"(", "namespace": "lab"}, "spec": {"nodeName": ")" + on +
           R"(", "containers": [{"resources": {"requests": {"cpu": "4"}}}]}, "status": {"phase": "Running"}})";
}

const std::string cluster =
    R"({"kind": "List", "items": [)" + node("sound", "", "True") + ", " +
    node("cordoned", R"("unschedulable": true)", "True") + ", " + node("away", "", "Unknown") +
    ", " +
    node("kept", R"("taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}])", "True") +
    ", " + pod("here", "sound") + ", " + pod("there", "cordoned") + "]}";

std::string experiment_with(const std::string& nodes) {
    return R"(kind: Experiment
metadata: {name: state}
spec:
  topology: {nodes: {format: kubernetes, file: cluster.json)" +
           nodes + R"(}}
  types: {four: {cpu: 4}}
  workload:
    - running: {file: cluster.json, lifetime: 1h}
    - pods: [{name: new, type: four, count: 6, at: 1s, lifetime: 1s}]
)";
}

std::set<std::string> used_nodes(const Folder& folder) {
    std::set<std::string> used;
    for (const CsvRow& row : csv_rows(folder.read("out/state/pods.csv"))) {
        used.insert(row.at("node"));
    }
    return used;
}

}  // namespace

TEST_CASE("unavailable nodes: they take no pods, and a line says which", "[cli][unavailable]") {
    const Folder folder;
    folder.write("cluster.json", cluster);
    folder.write("state.yaml", experiment_with(""));
    for (const char* command : {"validate", "run"}) {
        const Answer answer = folder.berth({command, "state.yaml"});
        CHECK(answer.status == 0);
        CHECK_THAT(answer.err,
                   Catch::Contains("warning: 2 of 4 nodes take no pods and are left out, with the "
                                   "pod that runs there: cordoned (cordoned), away (not ready); "));
        CHECK_THAT(
            answer.err,
            Catch::Contains("warning: 1 of 4 nodes have taints, which do not keep away pods that "
                            "state no nodeSelector, affinity or tolerations and are not read from "
                            "Kubernetes objects: these may go to kept (team=a:NoSchedule)"));
    }
    // A listed pod that tolerates every taint goes there on purpose.
    folder.write(
        "state.yaml",
        replaced(experiment_with(""), "count: 6,", "count: 6, tolerations: [{operator: Exists}],"));
    CHECK_THAT(folder.berth({"validate", "state.yaml"}).err, !Catch::Contains("taints"));
    CHECK(used_nodes(folder) == std::set<std::string>{"sound", "kept"});
    CHECK_THAT(folder.read("out/state/pods.csv"), !Catch::Contains("lab/there"));
}

TEST_CASE("unavailable nodes: they are no part of what is measured", "[cli][unavailable]") {
    const Folder folder;
    folder.write("cluster.json",
                 R"({"kind": "List", "items": [)" + zoned_gpus("sound", "east", "") + ", " +
                     zoned_gpus("away", "west", R"("unschedulable": true)") + "]}");
    folder.write("state.yaml", R"(kind: Experiment
metadata: {name: state}
spec:
  topology: {nodes: {format: kubernetes, file: cluster.json}}
  types: {four: {cpu: 2, nvidia.com/gpu: 4}}
  workload: [{pods: [{name: new, type: four, at: 0s, lifetime: 10s}]}]
  until: 10s
)");
    CHECK(folder.berth({"run", "state.yaml", "--quiet"}).status == 0);
    const auto nodes = csv_rows(folder.read("out/state/nodes.csv"));
    REQUIRE(nodes.size() == 1);
    CHECK(nodes.front().at("node") == "sound");
    const CsvRow row = csv_rows(folder.read("out/state/replications.csv")).at(0);
    CHECK(row.at("gpu_time_allocated") == "0.5");
    CHECK(row.at("gpu_time_idle_failed") == "0");
    CHECK(row.at("zone_nvidia.com/gpu_utilization_min") == "0.5");

    folder.write("state.yaml",
                 folder.read("state.yaml") +
                     "  failures: {events: [{at: 5s, node: away, event: repair}]}\n");
    CHECK(folder.berth({"run", "state.yaml", "--quiet"}).status == 0);
    CHECK(csv_rows(folder.read("out/state/nodes.csv")).size() == 2);
    const CsvRow repaired = csv_rows(folder.read("out/state/replications.csv")).at(0);
    CHECK(repaired.at("gpu_time_idle_failed") == "0.25");
}

TEST_CASE("unavailable nodes: a key keeps them", "[cli][unavailable]") {
    const Folder folder;
    folder.write("cluster.json", cluster);
    folder.write("state.yaml", experiment_with(", unavailable: keep"));
    const Answer answer = folder.berth({"run", "state.yaml", "--quiet"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, !Catch::Contains("take no pods"));
    CHECK(used_nodes(folder) == std::set<std::string>{"sound", "cordoned", "away", "kept"});
    CHECK_THAT(folder.read("out/state/pods.csv"), Catch::Contains("lab/there"));
}

TEST_CASE("unavailable nodes: a repair brings one back", "[cli][unavailable]") {
    const Folder folder;
    folder.write("cluster.json", cluster);
    folder.write(
        "state.yaml",
        experiment_with("") + "  failures: {events: [{at: 0s, node: away, event: repair}]}\n");
    CHECK(folder.berth({"run", "state.yaml", "--quiet"}).status == 0);
    CHECK(used_nodes(folder) == std::set<std::string>{"sound", "away", "kept"});
}

TEST_CASE("who asks for nothing starts on no server that is down", "[cli][failures]") {
    const auto profile = GENERATE(as<std::string>(),
                                  "{score: [least-allocated]}",
                                  "{reserve: [gpu-sharing]}",
                                  "{score: [gpu-packing]}",
                                  "{score: [topology-aware-packing]}",
                                  "{placementGroup: {numFit: percolated}}");
    CAPTURE(profile);
    const Folder folder;
    folder.write("e.yaml",
                 R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: e}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}, devices: {gpu: {count: 2}}}}
  types: {nothing: {}}
  workload:
    - pods: [{name: pod, type: nothing, at: 5s, lifetime: 10s}]
    - groups:
        - document: {kind: GroupPlacement, spec: {group: {name: g, size: 2, type: nothing}}}
          at: 6s
          lifetime: 10s
  failures: {events: [{at: 1s, node: server-0, event: fail}]}
  scheduler: {profile: )" +
                     profile + "}\n");
    (void)done(folder, {"run", "e.yaml", "-o", "o", "--quiet"});
    const std::vector<CsvRow> pods = csv_rows(folder.read("o/pods.csv"));
    REQUIRE(pods.size() == 3);
    for (const CsvRow& pod : pods) {
        CHECK(pod.at("node") == "server-1");
    }
}
