// What Node objects say in runs of kube-scheduler, and groups that start again there.

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// A Node object; `labels` and `allocatable` are members of maps.
std::string node(const std::string& name,
                 const std::string& labels,
                 const std::string& allocatable) {
    return "{kind: Node, metadata: {name: " + name + ", labels: {" + labels +
           "}}, status: {allocatable: {" + allocatable + "}}}";
}

/// An experiment with two nodes, whose objects are in a file; `workload` is a list in one line.
std::string experiment(const Folder& folder,
                       const std::string& first,
                       const std::string& second,
                       const std::string& workload,
                       const std::string& more) {
    folder.write("nodes.yaml", "{kind: List, items: [" + first + ", " + second + "]}\n");
    return "kind: Experiment\nmetadata: {name: nodes}\nspec:\n  topology: {nodes: {format: "
           "kubernetes, file: nodes.yaml}}\n  types: {one: {cpu: 1}}\n  workload: " +
           workload + "\n  until: 1h\n" + more;
}

/// The pods of a run by name.
std::map<std::string, CsvRow> run(const Folder& folder, const std::string& text) {
    run_sound(folder, text);
    std::map<std::string, CsvRow> pods;
    for (const CsvRow& row : pods_of(folder)) {
        pods.emplace(row.at("pod"), row);
    }
    return pods;
}

const std::string kube = "  scheduler: {kube: {}}\n";

}  // namespace

TEST_CASE("kube runs: a node takes as many pods as its object says, or else none", "[cli][kube]") {
    const Folder folder;
    const std::string workload = "[{pods: [{name: a, type: one, count: 4}]}]";

    SECTION("one object says how many") {
        const auto pods = run(folder,
                              experiment(folder,
                                         node("n0", "", "cpu: 9, pods: 3"),
                                         node("n1", "", "cpu: 9"),
                                         workload,
                                         kube));
        std::map<std::string, int> on;
        for (const auto& [name, row] : pods) {
            ++on[row.at("node")];
        }
        CHECK(on == std::map<std::string, int>{{"", 1}, {"n0", 3}});
    }
    SECTION("no object says how many") {
        for (const auto& [name, row] :
             run(folder,
                 experiment(
                     folder, node("n0", "", "cpu: 2"), node("n1", "", "cpu: 2"), workload, kube))) {
            CAPTURE(name);
            CHECK(row.at("outcome") == "running");
        }
    }
}

TEST_CASE("kube runs: a node whose object has no label of a level does not get one",
          "[cli][kube]") {
    const Folder folder;
    const std::string selects = GENERATE(
        as<std::string>(),
        "topologySpreadConstraints: [{maxSkew: 9, topologyKey: topology.kubernetes.io/zone, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]",
        "nodeSelector: {topology.kubernetes.io/zone: none}");
    CAPTURE(selects);

    const auto pods = run(
        folder,
        experiment(folder,
                   node("n0", "topology.kubernetes.io/zone: a", "cpu: 1"),
                   node("n1", "", "cpu: 8"),
                   "[{pods: [{name: a, type: one, count: 2, labels: {app: a}, " + selects + "}]}]",
                   kube));

    for (const auto& [name, row] : pods) {
        CHECK(row.at("node") != "n1");
    }
}

TEST_CASE("kube runs: a group that starts again has the same pods", "[cli][kube]") {
    const Folder folder;
    const std::string settings = GENERATE(as<std::string>(), "", "gangs: {}");
    CAPTURE(settings);

    const auto pods = run(
        folder,
        experiment(
            folder,
            node("n0", "", "cpu: 4"),
            node("n1", "", "cpu: 0.5"),
            "[{groups: [{lifetime: 60s, document: {kind: GroupPlacement, spec: {group: {name: g, "
            "size: 3, type: one}}}}]}]",
            "  scheduler: {kube: {" + settings +
                "}}\n  failures: {events: [{at: 10s, node: n0, event: "
                "fail}, {at: 20s, node: n0, event: repair}, {at: 30s, node: n0, event: fail}, {at: "
                "40s, "
                "node: n0, event: repair}]}\n"));

    REQUIRE(pods.size() == 3);
    for (const auto& [name, row] : pods) {
        CAPTURE(name);
        CHECK(row.at("outcome") == "finished");
        CHECK(row.at("finish_s") == "100");
    }
}

TEST_CASE("kube runs: members that start later have waited since their group came",
          "[cli][kube][holds-places]") {
    const Folder folder;

    const auto pods = run(
        folder,
        experiment(folder,
                   node("n0", "", "cpu: 1"),
                   node("n1", "", "cpu: 1"),
                   "[{pods: [{name: a, type: one, lifetime: 100s}]}, {groups: [{at: 1s, lifetime: "
                   "60s, document: {kind: GroupPlacement, spec: {group: {name: g, size: 2, type: "
                   "one}}}}]}]",
                   kube));

    CHECK(pods.at("g-0").at("start_s") == "1");
    CHECK(pods.at("g-0").at("wait_s") == "0");
    CHECK(pods.at("g-1").at("submit_s") == "1");
    CHECK(pods.at("g-1").at("start_s") == "100");
    CHECK(pods.at("g-1").at("wait_s") == "99");
    CHECK(pods.at("g-1").at("finish_s") == "160");
}

TEST_CASE("kube runs: gangs of 1.37 may say that they do not preempt as a whole", "[cli][kube]") {
    const Folder folder;

    const auto pods = run(folder,
                          experiment(folder,
                                     node("n0", "", "cpu: 4"),
                                     node("n1", "", "cpu: 1"),
                                     "[{pods: [{name: a, type: one}]}]",
                                     "  scheduler: {kube: {version: '1.37', gangs: "
                                     "{workloadAwarePreemption: false}}}\n"));

    CHECK(pods.at("a").at("outcome") == "running");
}

TEST_CASE("kueue and kube: a pod whose selector contradicts its flavor waits",
          "[cli][kueue][kube]") {
    const Folder folder;
    folder.write("pods.yaml", R"(apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: r, labels: {kueue.x-k8s.io/queue-name: q}}
    spec:
      nodeName: n1
      nodeSelector: {pool: y}
      containers: [{name: c, resources: {requests: {cpu: 1}}}]
    status: {phase: Running}
)");
    const std::string kueue = R"(  scheduler:
    kube: {}
    kueue:
      objects:
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: ResourceFlavor
          metadata: {name: f}
          spec: {nodeLabels: {pool: z}}
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: ClusterQueue
          metadata: {name: q}
          spec:
            namespaceSelector: {}
            resourceGroups:
              - coveredResources: [cpu]
                flavors: [{name: f, resources: [{name: cpu, nominalQuota: 9}]}]
        - apiVersion: kueue.x-k8s.io/v1beta2
          kind: LocalQueue
          metadata: {name: q, namespace: default}
          spec: {clusterQueue: q}
  failures: {events: [{at: 10s, node: n1, event: fail}]}
)";

    const auto pods =
        run(folder,
            experiment(folder,
                       node("n0", "pool: y", "cpu: 8"),
                       node("n1", "", "cpu: 8"),
                       "[{running: {file: pods.yaml}}, {pods: [{name: a, type: one}]}]",
                       kueue));

    CHECK(pods.at("r").at("outcome") == "waiting");
}
