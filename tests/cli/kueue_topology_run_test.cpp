#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string objects = R"(apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: default}
spec:
  levels: [{nodeLabel: cloud.example.com/topology-rack}, {nodeLabel: kubernetes.io/hostname}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: tas}
spec: {nodeLabels: {pool: gpu}, topologyName: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: tas, resources: [{name: cpu, nominalQuota: 8}]}]
  preemption: {withinClusterQueue: LowerPriority}
)";

/// Two racks of two servers, each for one pod; rack 0 and half of rack 1 are taken, and half of
/// rack 0 is given back after 10 min. Then a gang of two comes.
std::string experiment(const std::string& constraint, const std::string& rest = "") {
    return R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: racks}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 1}, {name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 2}}}
  types: {two: {cpu: 2}}
  workload:
    - pods:
        - {name: a, type: two, lifetime: 10m, quota: all}
        - {name: b, type: two, at: 1s, lifetime: 1h, quota: all}
        - {name: c, type: two, at: 2s, lifetime: 1h, quota: all}
    - groups:
        - at: 700s
          name: gang
          lifetime: 10m
          quota: all
)" + rest + "          document: {spec: {group: {size: 2, type: two}, constraints: [" +
           constraint + "]}}\n  scheduler: {kueue: kueue.yaml}\n";
}

std::map<std::string, CsvRow> rows_of(const Folder& folder,
                                      const std::string& table,
                                      const std::string& key) {
    std::map<std::string, CsvRow> rows;
    for (CsvRow& row : csv_rows(folder.read("out/" + table))) {
        rows[row.at(key)] = std::move(row);
    }
    return rows;
}

void run(const Folder& folder) {
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
}

void fill(const Folder& folder, const std::string& experiment) {
    folder.write("kueue.yaml", objects);
    folder.write("run.yaml", experiment);
}

}  // namespace

TEST_CASE("kueue topology: a gang that requires one rack waits for it", "[kueue]") {
    const Folder folder;
    fill(folder, experiment("{level: rack, affinity: pack, soft: false}"));
    run(folder);
    auto jobs = rows_of(folder, "jobs.csv", "job");
    // Two servers are free, in two racks, until b ends at 3601 s.
    CHECK(jobs.at("gang").at("start_s") == "3602");
    CHECK(jobs.at("gang").at("admitted_s") == "3602");
    CHECK(jobs.at("b").at("preempted") == "0");
    CHECK_THAT(done(folder, {"why", "out", "gang"}),
               Catch::Contains("topology \"default\" allows to fit only 1 out of 2 pod(s)"));
}

TEST_CASE("kueue topology: a gang that prefers one rack takes two", "[kueue]") {
    const Folder folder;
    fill(folder, experiment("{level: rack, affinity: pack, soft: true}"));
    run(folder);
    CHECK(rows_of(folder, "jobs.csv", "job").at("gang").at("start_s") == "700");
    auto pods = rows_of(folder, "pods.csv", "pod");
    CHECK(pods.at("gang-0").at("node") == pods.at("a").at("node"));
    CHECK(pods.at("gang-1").at("node") != pods.at("c").at("node"));
}

TEST_CASE("kueue topology: who lies in the way is preempted though quota suffices", "[kueue]") {
    const Folder folder;
    fill(folder,
         experiment("{level: rack, affinity: pack, soft: false}", "          priority: 5\n"));
    run(folder);
    auto jobs = rows_of(folder, "jobs.csv", "job");
    CHECK(jobs.at("gang").at("start_s") == "700");
    // Of two that would do, the one that was admitted last goes, and it finds another server.
    CHECK(jobs.at("c").at("preempted") == "1");
    CHECK(jobs.at("b").at("preempted") == "0");
    CHECK(jobs.at("c").at("admitted_s") == "700");
}

TEST_CASE("kueue topology: objects that no cluster can have are refused", "[kueue]") {
    struct Case {
        std::string from;
        std::string to;
        std::string message;
    };
    const auto [from, to, message] = GENERATE(
        Case{"topologyName: default", "topologyName: other", "a Topology among the objects"},
        Case{"nodeLabels: {pool: gpu}, ", "", "nodeLabels, as every flavor with a topology has"},
        Case{"topology-rack", "topology-row", "a label that ends in the name of a level (zone"},
        Case{", {nodeLabel: kubernetes.io/hostname}", "", "kubernetes.io/hostname as the lowest"},
        Case{"topology-rack}, {", "topology-rack}, {nodeLabel: a/zone}, {", "from the top down"});
    std::string changed = objects;
    changed.replace(changed.find(from), from.size(), to);
    const Folder folder;
    fill(folder, experiment(""));
    folder.write("kueue.yaml", changed);
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains(message) && Catch::StartsWith("kueue.yaml:"));
}

TEST_CASE("kueue topology: a label may stand for a level of another name", "[kueue]") {
    std::string changed = objects;
    const std::string label = "topology-rack";
    changed.replace(changed.find(label), label.size(), "switch");
    std::string document = experiment("{level: rack, affinity: pack, soft: false}");
    const std::string file = "kueue: kueue.yaml";
    document.replace(document.find(file),
                     file.size(),
                     "kueue: {file: kueue.yaml, levels: {cloud.example.com/switch: rack}}");
    const Folder folder;
    fill(folder, document);
    folder.write("kueue.yaml", changed);
    run(folder);
    CHECK(rows_of(folder, "jobs.csv", "job").at("gang").at("start_s") == "3602");
}

TEST_CASE("kueue topology: constraints that Kueue does not know are refused", "[kueue]") {
    const Folder folder;
    fill(folder, experiment("{level: server, affinity: spread, soft: true, min: 1, max: 1}"));
    run(folder);
    const auto jobs = rows_of(folder, "jobs.csv", "job");
    CHECK(jobs.at("gang").at("outcome") == "rejected");
    CHECK_THAT(jobs.at("gang").at("reason"), Catch::Contains("to pack them into one node"));
}

TEST_CASE("kueue topology: GPUs that nobody gives out one by one are counted", "[kueue]") {
    const Folder folder;
    std::string counted = experiment("{level: rack, affinity: pack, soft: false}");
    const std::string capacity = "{cpu: 2}}}";
    counted.replace(
        counted.find(capacity), capacity.size(), "{cpu: 2}, devices: {gpu: {count: 2}}}}");
    const std::string type = "{two: {cpu: 2}}";
    counted.replace(counted.find(type), type.size(), "{two: {nvidia.com/gpu: 2}}");
    std::string of_gpus = objects;
    const std::string covered = "[cpu]";
    of_gpus.replace(of_gpus.find(covered), covered.size(), "[nvidia.com/gpu]");
    const std::string quota = "name: cpu";
    of_gpus.replace(of_gpus.find(quota), quota.size(), "name: nvidia.com/gpu");
    fill(folder, counted);
    folder.write("kueue.yaml", of_gpus);
    run(folder);
    const auto jobs = rows_of(folder, "jobs.csv", "job");
    CHECK(jobs.at("gang").at("start_s") == "3602");
    CHECK(jobs.at("gang").at("outcome") == "finished");
}

TEST_CASE("kueue topology: who loses its server is given another with new quota", "[kueue]") {
    const Folder folder;
    fill(folder, experiment("") + "  failures: {file: failures.csv}\n");
    folder.write("failures.csv", "time_s,component,event,cause\n");
    run(folder);
    const std::string lost = rows_of(folder, "pods.csv", "pod").at("b").at("node");
    folder.write(
        "failures.csv",
        "time_s,component,event,cause\n650," + lost + ",fail,\n9000," + lost + ",repair,\n");
    (void)done(folder, {"run", "run.yaml", "--check-invariants", "-o", "out"});
    const auto jobs = rows_of(folder, "jobs.csv", "job");
    CHECK(jobs.at("b").at("node_failed") == "1");
    CHECK(jobs.at("b").at("start_s") == "650");
    CHECK(jobs.at("b").at("admitted_s") == "650");
    CHECK(rows_of(folder, "pods.csv", "pod").at("b").at("node") != lost);
}

TEST_CASE("kueue topology: who found no places is offered again when a server comes back",
          "[kueue]") {
    const Folder folder;
    std::string document = experiment("{level: rack, affinity: pack, soft: false}");
    // All jobs but the gang are over by then, and nobody gives quota back any more.
    for (std::size_t at = 0; (at = document.find("lifetime: 1h")) != std::string::npos;) {
        document.replace(at, 12, "lifetime: 1m");
    }
    document += R"(  failures:
    events:
      - {at: 690s, node: server-1, event: fail}
      - {at: 690s, node: server-3, event: fail}
      - {at: 9000s, node: server-3, event: repair}
)";
    SECTION("a second later in a queue that parks") {
        fill(folder, document);
        run(folder);
        CHECK(rows_of(folder, "jobs.csv", "job").at("gang").at("start_s") == "9001");
    }
    SECTION("at once in a strict one") {
        fill(folder, document);
        std::string strict = objects;
        const std::string selector = "namespaceSelector: {}";
        strict.insert(strict.find(selector), "queueingStrategy: StrictFIFO\n  ");
        folder.write("kueue.yaml", strict);
        run(folder);
        CHECK(rows_of(folder, "jobs.csv", "job").at("gang").at("start_s") == "9000");
    }
}

TEST_CASE("kueue topology: who found no places is offered again when others leave servers",
          "[kueue]") {
    const Folder folder;
    std::string document = experiment("{level: rack, affinity: pack, soft: false}");
    // Two pods that are not Kueue's have a server until 3602 s, and nobody gives quota back then.
    const std::string named = "lifetime: 1h, quota: all";
    for (std::size_t at = 0; (at = document.find(named)) != std::string::npos;) {
        document.replace(at, named.size(), "lifetime: 1h");
    }
    const std::string first = "lifetime: 1h";
    document.replace(document.find(first), first.size(), "lifetime: 3601s");
    fill(folder, document);
    run(folder);
    CHECK(rows_of(folder, "jobs.csv", "job").at("gang").at("start_s") == "3603");
}
