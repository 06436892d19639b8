#include <catch2/catch.hpp>

#include <string>
#include <utility>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

const std::string on_demand = flavor("on-demand", "nodeLabels: {pool: on-demand}");
const std::string spot = flavor("spot", "nodeLabels: {pool: spot}");

/// Quota for one pod on demand, and for three pods on spot.
std::string two_pools(const std::string& spot_flavor) {
    return kueue_file(
        {on_demand, spot_flavor, cluster_queue("all", {{"on-demand", "2"}, {"spot", "6"}})});
}

/// Three servers with 4 CPUs each: the second is on demand, the others are spot.
const std::string pools = R"(  topology:
    spec:
      levels: [{name: rack, count: 1}, {name: server, count: 3}]
      machines: [{type: own, weight: 1}, {type: spot, weight: 2}]
      machineTypes:
        own: {capacity: {cpu: 4}, labels: {pool: on-demand, zone: a}}
        spot: {capacity: {cpu: 4}, labels: {pool: spot}}
)";

std::string experiment(const std::string& cluster = pools) {
    const KueueExperiment of_pods{
        .types = "two: {cpu: 2}",
        .pods = R"(        - {name: a, type: two, lifetime: 1h, quota: all}
        - {name: b, type: two, lifetime: 1h, quota: all}
        - {name: c, type: two, lifetime: 1h, quota: all}
        - {name: d, type: two, lifetime: 1h, quota: all}
        - {name: e, type: two, lifetime: 1h, quota: all}
)",
        .cluster = cluster};
    return of_pods.text();
}

/// The machine type on which each pod ran, in the order of the pods' names.
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
    folder.write("kueue.yaml", two_pools(spot));
    folder.write("run.yaml", experiment());
    const auto answer = folder.berth({"run", "run.yaml", "--check-invariants", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err, !Catch::Contains("warning"));
    INFO(folder.read("out/pods.csv"));
    // The first pod takes the quota of the first flavor; the fifth one waits for it for an hour.
    CHECK(types_of(folder) == "ossso");
}

TEST_CASE("kueue: a flavor whose servers are full holds up who has its quota", "[kueue]") {
    const Folder folder;
    folder.write(
        "kueue.yaml",
        kueue_file({on_demand, spot, cluster_queue("all", {{"on-demand", "20"}, {"spot", "6"}})}));
    folder.write("run.yaml", experiment());
    run_kueue(folder);
    CHECK(types_of(folder) == "ooooo");
    CHECK_THAT(done(folder, {"why", "out", "c"}), Catch::Contains("pool=on-demand"));
}

TEST_CASE("kueue: a flavor without servers is said before the run", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_pools(flavor("spot", "nodeLabels: {pool: spots}")));
    folder.write("run.yaml", experiment());
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(
        answer.err,
        Catch::Contains("kueue.yaml:3:103: warning: flavor spot: no server has these labels: "
                        "pods that get it find no place"));

    folder.write("kueue.yaml",
                 two_pools(flavor_with_topology("spot", "spots", "default")) + "---\n" +
                     topology("default", {}));
    const auto refused = folder.berth({"run", "run.yaml", "-o", "other"});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("expected one at least for its topology"));
}

TEST_CASE("kueue: where servers have no labels a warning says so", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_pools(spot));
    folder.write("run.yaml",
                 experiment("  topology: {spec: {levels: [{name: server, count: 3}], "
                            "machines: [{type: host}], machineTypes: {host: "
                            "{capacity: {cpu: 4}}}}}\n"));
    const auto answer = folder.berth({"run", "run.yaml", "-o", "out"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("flavor spot: no server has labels") &&
                   Catch::Contains("machineTypes may have labels"));
}

TEST_CASE("kueue: a flavor with a topology places on its servers alone", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml",
                 kueue_file({flavor_with_topology("spot", "spot", "default"),
                             topology("default", {}),
                             cluster_queue("all", {{"spot", "6"}})}));
    folder.write("run.yaml", experiment());
    run_kueue(folder);
    CHECK(types_of(folder) == "sssss");
}

TEST_CASE("kueue: labels of a list of nodes are theirs", "[kueue]") {
    const Folder folder;
    folder.write("kueue.yaml", two_pools(spot));
    std::string nodes = "apiVersion: v1\nkind: List\nitems:\n";
    for (const auto& [name, pool] :
         {std::pair("server-0", "spot"), {"server-1", "on-demand"}, {"server-2", "spot"}}) {
        nodes += std::string("- {apiVersion: v1, kind: Node, metadata: {name: ") + name +
                 ", labels: {kubernetes.io/hostname: " + name + ", pool: " + pool +
                 "}}, status: {allocatable: {cpu: 4, pods: 110}}}\n";
    }
    folder.write("nodes.yaml", nodes);
    folder.write("run.yaml", experiment("  topology: {nodes: {file: nodes.yaml}}\n"));
    run_kueue(folder);
    CHECK(types_of(folder) == "ossso");
}

TEST_CASE("kueue: pods tolerate what their flavor does", "[kueue]") {
    const auto run = [](const std::string& flavor_spec) {
        const Folder folder;
        folder.write("f.yaml",
                     "apiVersion: v1\nkind: List\nitems:\n"
                     "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: gpu}}, "
                     "spec: {taints: [{key: nvidia.com/gpu, value: 'true', effect: NoSchedule}]}, "
                     "status: {allocatable: {cpu: '8'}}}\n"
                     "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: "
                     "cq}, spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: "
                     "[cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 8}]}]}]}}\n"
                     "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: "
                     "lq, namespace: ml}, spec: {clusterQueue: cq}}\n"
                     "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: "
                     "{name: f}, spec: {" +
                         flavor_spec +
                         "}}\n"
                         "- {apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: "
                         "w, namespace: ml}, spec: {queueName: lq, podSets: [{name: main, count: "
                         "1, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "
                         "'4'}}}]}}}]}}\n");
        folder.write("e.yaml",
                     "kind: Experiment\nmetadata: {name: e}\nspec:\n"
                     "  topology: {nodes: {format: kubernetes, file: f.yaml}}\n"
                     "  workload: [{running: {file: f.yaml, pending: true, lifetime: 1h}}]\n"
                     "  scheduler: {kueue: f.yaml}\n");
        const Answer answer = folder.berth({"run", "e.yaml", "--check-invariants", "-o", "out"});
        INFO(answer.err);
        CHECK(answer.status == 0);
        return csv_rows(folder.read("out/pods.csv")).front().at("start_s") + answer.err;
    };
    const std::string tolerations = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]";
    for (const std::string& labels : {std::string(), std::string("nodeLabels: {pool: gpu}, ")}) {
        CAPTURE(labels);
        const std::string with = run(labels + tolerations);
        CHECK_THAT(with, Catch::StartsWith("0") && !Catch::Contains("never"));
    }
    CHECK_THAT(run("nodeLabels: {pool: gpu}"),
               !Catch::StartsWith("0") && Catch::Contains("may run on no server of this cluster"));
}
