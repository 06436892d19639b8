// Runs that kube-scheduler decides, with what else an experiment may say.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two zones of one server with 4 GPUs each, and with a label.
std::string experiment(const std::string& scheduler, const std::string& workload) {
    return R"(kind: Experiment
metadata: {name: kube}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 2}, {name: server, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 4}, labels: {pool: x}}}
  types: {four: {nvidia.com/gpu: 4}, half: {nvidia.com/gpu: 500m}, five: {nvidia.com/gpu: 5}}
  scheduler: )" +
           scheduler + "\n  workload:\n" + workload;
}

std::vector<CsvRow> pods_of(const Folder& folder, const std::string& text) {
    folder.write("e.yaml", text);
    const Answer answer = folder.berth({"run", "e.yaml", "--quiet", "--check-invariants"});
    INFO(answer.err);
    REQUIRE(answer.status == 0);
    return csv_rows(folder.read("out/kube/pods.csv"));
}

const std::string one_pod = "    - pods: [{type: four, lifetime: 1h}]\n";

}  // namespace

TEST_CASE("kube: a pod selects nodes by the names of levels", "[cli][kube]") {
    const Folder folder;
    for (const std::string selector :
         {"topology.kubernetes.io/zone: zone-1", "kubernetes.io/hostname: server-1"}) {
        const auto pods = pods_of(folder,
                                  experiment("{kube: {}}",
                                             "    - pods: [{type: four, lifetime: 1h, "
                                             "nodeSelector: {" +
                                                 selector + "}}]\n"));
        REQUIRE(pods.size() == 1);
        CHECK(pods[0].at("node") == "server-1");
        CHECK(pods[0].at("outcome") == "finished");
    }
}

TEST_CASE("kube: the shape of a group is that of all members that start at once", "[cli][kube]") {
    const Folder folder;
    (void)pods_of(
        folder,
        experiment("{kube: {}}",
                   "    - groups:\n"
                   "      - {lifetime: 1h, document: {kind: GroupPlacement, spec: {group: "
                   "{name: g, size: 2, type: four}}}}\n"));
    const auto groups = csv_rows(folder.read("out/kube/groups.csv"));
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].at("zone_used") == "2");
    CHECK(groups[0].at("server_used") == "2");
}

TEST_CASE("kube: a cordoned node that is repaired takes pods", "[cli][kube]") {
    const Folder folder;
    folder.write("nodes.json", R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
 "spec": {"unschedulable": true,
          "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]},
 "status": {"allocatable": {"cpu": "8", "pods": "9"}}})");
    const auto pods = pods_of(folder, R"(kind: Experiment
metadata: {name: kube}
spec:
  topology: {nodes: {format: kubernetes, file: nodes.json}}
  types: {one: {cpu: 1}}
  scheduler: {kube: {}}
  workload: [{pods: [{type: one, lifetime: 1h}]}]
  failures: {events: [{at: 1m, node: a, event: repair}]}
)");
    REQUIRE(pods.size() == 1);
    CHECK(pods[0].at("outcome") == "finished");
}

TEST_CASE("kube: a run tells which pods were preempted", "[cli][kube]") {
    const Folder folder;
    const auto pods = pods_of(
        folder,
        experiment("{kube: {}}",
                   "    - pods:\n"
                   "      - {name: low, type: four, count: 2, lifetime: 1h}\n"
                   "      - {name: high, type: four, at: 1m, lifetime: 1h, priority: 1}\n"));
    REQUIRE(pods.size() == 3);
    const auto preempted =
        std::ranges::count_if(pods, [](const CsvRow& pod) { return pod.at("preempted") == "1"; });
    CHECK(preempted == 1);
    const auto evictions = csv_rows(folder.read("out/kube/evictions.csv"));
    REQUIRE(evictions.size() == 1);
    CHECK(evictions[0].at("pod").starts_with("low-"));
    CHECK(evictions[0].at("ran_s") == "60");
}

TEST_CASE("kube: what a run with kube-scheduler cannot have is refused", "[cli][kube][bad-input]") {
    const Folder folder;
    const auto said = [&](const std::string& scheduler, const std::string& workload) {
        folder.write("e.yaml", experiment(scheduler, workload));
        const Answer answer = folder.berth({"validate", "e.yaml"});
        CHECK(answer.status == 2);
        return answer.err;
    };
    CHECK_THAT(said("{kube: {}, kueue: {objects: []}}", one_pod),
               Catch::Contains("'kueue' cannot be used with 'kube', which decides everything"));
    CHECK_THAT(said("{kube: {}}", "    - generate: {arrivals: 1s, count: 2, type: half}\n"),
               Catch::Contains("asks for a part of a GPU, which kube-scheduler does not know"));
    CHECK_THAT(said("{kube: {config: {apiVersion: kubescheduler.config.k8s.io/v1beta3, kind: "
                    "KubeSchedulerConfiguration}}}",
                    one_pod),
               Catch::Contains("expected kind: KubeSchedulerConfiguration of "
                               "kubescheduler.config.k8s.io/v1"));
}
