#include <catch2/catch.hpp>

#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string objects(const std::string& spot_labels = "{pool: spot}",
                    const std::string& topology = "") {
    return R"(apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: on-demand}
spec: {nodeLabels: {pool: on-demand}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: )" +
           spot_labels + topology + R"(}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: on-demand, resources: [{name: cpu, nominalQuota: 2}]}
    - {name: spot, resources: [{name: cpu, nominalQuota: 6}]}
)";
}

/// Three servers of 4 CPUs: the second is on demand, the others are spot. There is quota for one
/// pod on demand, and for three on spot.
const std::string experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: pools}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 1}, {name: server, count: 3}]
      machines: [{type: own, weight: 1}, {type: spot, weight: 2}]
      machineTypes:
        own: {capacity: {cpu: 4}, labels: {pool: on-demand, zone: a}}
        spot: {capacity: {cpu: 4}, labels: {pool: spot}}
  types: {two: {cpu: 2}}
  workload:
    - pods:
        - {name: a, type: two, lifetime: 1h, quota: all}
        - {name: b, type: two, lifetime: 1h, quota: all}
        - {name: c, type: two, lifetime: 1h, quota: all}
        - {name: d, type: two, lifetime: 1h, quota: all}
        - {name: e, type: two, lifetime: 1h, quota: all}
  scheduler: {kueue: kueue.yaml}
)";

/// Which machine type each pod ran on, in the order of their names.
std::string types_of(const Folder& folder) {
    std::string types;
    for (const CsvRow& pod : csv_rows(folder.read("out/pods.csv"))) {
        types += pod.at("node") == "server-1" ? "o" : "s";
    }
    return types;
}

}  // namespace

TEST_CASE("kueue: pods run on servers with the labels of their flavor", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects());
    folder.write("run.yaml", experiment);
    const auto answer = folder.berth({"run", "run.yaml", "--check-invariants", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, !Catch::Contains("warning"));
    INFO(folder.read("out/pods.csv"));
    // The first takes the quota of the first flavor; who is fifth waits for it for an hour.
    CHECK(types_of(folder) == "ossso");
}

TEST_CASE("kueue: a flavor whose servers are full holds up who has its quota", "[kueue]") {
    std::string more = objects();
    const std::string quota = "nominalQuota: 2";
    more.replace(more.find(quota), quota.size(), "nominalQuota: 20");
    const Folder folder;
    folder.write("kueue.yaml", more);
    folder.write("run.yaml", experiment);
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    CHECK(types_of(folder) == "ooooo");
    CHECK_THAT(done(folder, {"why", "out", "c"}), Catch::Contains("pool=on-demand"));
}

TEST_CASE("kueue: a flavor without servers is said before the run", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects("{pool: spots}"));
    folder.write("run.yaml", experiment);
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("kueue.yaml:9:20: warning: flavor spot: no server has these labels: "
                               "pods that get it find no place"));

    folder.write("kueue.yaml", objects("{pool: spots}", ", topologyName: default") + R"(---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: default}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
)");
    const auto refused = folder.berth({"run", "run.yaml", "-o", "other"});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("expected one at least for its topology"));
}

TEST_CASE("kueue: where servers have no labels a warning says so", "[kueue]") {
    std::string plain = experiment;
    for (const std::string labels :
         {", labels: {pool: on-demand, zone: a}", ", labels: {pool: spot}"}) {
        plain.erase(plain.find(labels), labels.size());
    }
    const Folder folder;
    folder.write("kueue.yaml", objects());
    folder.write("run.yaml", plain);
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("flavor spot: no server has labels") &&
                   Catch::Contains("machineTypes may have labels"));
}

TEST_CASE("kueue: a flavor with a topology places on its servers alone", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects("{pool: spot}", ", topologyName: default") + R"(---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: default}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
)");
    std::string only = folder.read("kueue.yaml");
    const std::string first =
        "    - {name: on-demand, resources: [{name: cpu, nominalQuota: 2}]}\n";
    only.erase(only.find(first), first.size());
    folder.write("kueue.yaml", only);
    folder.write("run.yaml", experiment);
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    CHECK(types_of(folder) == "sssss");
}

TEST_CASE("kueue: labels of a list of nodes are theirs", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", objects());
    std::string nodes = "apiVersion: v1\nkind: List\nitems:\n";
    for (const auto& [name, pool] :
         {std::pair("server-0", "spot"), {"server-1", "on-demand"}, {"server-2", "spot"}}) {
        nodes += std::string("- {apiVersion: v1, kind: Node, metadata: {name: ") + name +
                 ", labels: {kubernetes.io/hostname: " + name + ", pool: " + pool +
                 "}}, status: {allocatable: {cpu: 4, pods: 110}}}\n";
    }
    folder.write("nodes.yaml", nodes);
    std::string listed = experiment;
    const auto from = listed.find("  topology:\n");
    listed.replace(
        from, listed.find("  types:") - from, "  topology: {nodes: {file: nodes.yaml}}\n");
    folder.write("run.yaml", listed);
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    CHECK(types_of(folder) == "ossso");
}
