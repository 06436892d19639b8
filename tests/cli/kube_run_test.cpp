// Runs that kube-scheduler decides, from the document to the tables.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two zones of two servers with 8 CPUs, of two machine types in turn; `workload`: its sources.
std::string experiment(const std::string& workload) {
    return R"(kind: Experiment
metadata: {name: kube}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 2}, {name: server, count: 2}]
      machines: [{type: old, weight: 1}, {type: new, weight: 1}]
      machineTypes:
        old: {capacity: {cpu: 8, nvidia.com/gpu: 1}, labels: {pool: old}}
        new: {capacity: {cpu: 8, nvidia.com/gpu: 1}, labels: {pool: new}}
  types: {one: {cpu: 1}, half: {cpu: 1, nvidia.com/gpu: 500m}}
  workload:
)" + workload +
           "  scheduler: {kube: {}}\n  until: 1h\n";
}

/// How many pods run in each zone.
std::map<std::string, int> zones_of(const Folder& folder) {
    std::map<std::string, int> zones;
    for (const CsvRow& pod : csv_rows(folder.read("out/kube/pods.csv"))) {
        const std::string& node = pod.at("node");
        ++zones[node.empty() ? "none" : node <= "server-1" ? "zone-0" : "zone-1"];
    }
    return zones;
}

}  // namespace

TEST_CASE("kube runs: pods select nodes by the labels of levels", "[cli][kube]") {
    const auto [what, entry, expected] =
        GENERATE(table<std::string, std::string, std::map<std::string, int>>({
            {"the label of a zone",
             "nodeSelector: {topology.kubernetes.io/zone: zone-1}",
             {{"zone-1", 4}}},
            {"of a zone, and of a machine type",
             "nodeSelector: {topology.kubernetes.io/zone: zone-1, pool: old}",
             {{"zone-1", 4}}},
            {"of no zone", "nodeSelector: {topology.kubernetes.io/zone: zone-9}", {{"none", 4}}},
            {"spread over zones",
             "labels: {a: b}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
             "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
             "{matchLabels: {a: b}}}]",
             {{"zone-0", 2}, {"zone-1", 2}}},
        }));
    CAPTURE(what);
    const Folder folder;
    folder.write("run.yaml",
                 experiment("    - pods: [{name: a, type: one, count: 4, " + entry + "}]\n"));

    const Answer run = folder.berth({"run", "run.yaml", "-o", "out/kube"});

    CHECK(run.status == 0);
    CHECK(run.err.find("no server") == std::string::npos);
    CHECK(zones_of(folder) == expected);
}

TEST_CASE("kube runs: what kube-scheduler does not know is refused", "[cli][kube]") {
    const auto [source, expected] = GENERATE(table<std::string, std::string>({
        {"pods: [{name: a, type: half}]", "a asks for a part of a GPU"},
        {"generate: {name: a, arrivals: 1m, service: 1h, count: 5, type: half}",
         "a asks for a part of a GPU"},
        {"generate: {arrivals: 1m, service: 1h, count: 5, mix: [{type: one}, {group: {spec: "
         "{group: {name: g, size: 2, type: one}, constraints: [{level: zone, affinity: pack}]}}}]}",
         "g has constraints of a placement group"},
    }));
    const Folder folder;
    folder.write("run.yaml", experiment("    - " + source + "\n"));

    const Answer run = folder.berth({"validate", "run.yaml"});

    CHECK(run.status != 0);
    CHECK(run.err.find("error: " + expected) != std::string::npos);
}

TEST_CASE("kube runs: labels of pods that run already count", "[cli][kube]") {
    const Folder folder;
    const std::string spread =
        R"("topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", )"
        R"("whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"a": "b"}}}], )";
    const auto pod = [&](const std::string& name, const std::string& on) {
        return R"({"kind": "Pod", "metadata": {"name": ")" + name +
               R"(", "labels": {"a": "b"}}, "spec": {)" + on +
               R"("containers": [{"resources": {"requests": {"cpu": "1"}}}]}})";
    };
    const std::string there = R"("nodeName": "server-0", )";
    folder.write("pods.json",
                 R"({"kind": "List", "items": [)" + pod("x", there) + ", " + pod("y", there) +
                     ", " + pod("v", spread) + ", " + pod("w", spread) + "]}");
    folder.write("run.yaml",
                 experiment("    - running: {file: pods.json, pending: true, lifetime: 1d}\n"));

    CHECK(folder.berth({"run", "run.yaml", "-o", "out/kube", "-q"}).status == 0);

    CHECK(zones_of(folder) == std::map<std::string, int>{{"zone-0", 2}, {"zone-1", 2}});
}

TEST_CASE("kube runs: why repeats the last message, and tells what would help", "[cli][kube]") {
    const Folder folder;
    folder.write("run.yaml",
                 experiment("    - pods: [{name: a, type: one, nodeSelector: {pool: none}}]\n"));
    REQUIRE(folder.berth({"run", "run.yaml", "-o", "out/kube", "-q"}).status == 0);

    const Answer why = folder.berth({"why", "out/kube", "a"});

    CHECK(why.out.find("failed attempt stopped at filter NodeAffinity") != std::string::npos);
    CHECK(why.out.find("remove pool=none from nodeSelector") != std::string::npos);
    CHECK(why.out.find("4 node(s) didn't match Pod's node affinity/selector") != std::string::npos);
}
