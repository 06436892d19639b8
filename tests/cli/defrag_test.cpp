// Which running pods must move so that others fit.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

std::string node(const std::string& name, const std::string& more = "") {
    return fmt::format(
        R"({{"kind": "Node", "metadata":
              {{"name": "{}", "labels": {{"topology.kubernetes.io/zone": "{}"}}}}, {}
            "status": {{"allocatable": {{"cpu": "64", "nvidia.com/gpu": "8"}}}}}})",
        name,
        name.substr(0, 1),
        more);
}

std::string pod(const std::string& name,
                const std::string& on,
                int gpus,
                const std::string& start,
                const std::string& labels = "") {
    return fmt::format(
        R"({{"kind": "Pod", "metadata": {{"name": "{}", "namespace": "lab", "labels": {{{}}}}},
            "spec": {{"nodeName": "{}", "tolerations": [], "containers": [{{"resources":
              {{"requests": {{"cpu": "{}", "nvidia.com/gpu": "{}"}}}}}}]}},
            "status": {{"phase": "Running", "startTime": "2026-01-01T{}Z"}}}})",
        name,
        labels,
        on,
        gpus,
        gpus,
        start);
}

std::string list(const std::vector<std::string>& objects) {
    std::string text;
    for (const std::string& object : objects) {
        text += (text.empty() ? "" : ",\n") + object;
    }
    return R"({"apiVersion": "v1", "kind": "List", "items": [)" + text + "]}";
}

const std::string eight = R"(kind: Pod
metadata: {name: big, namespace: lab}
spec: {tolerations: [], containers: [{resources: {requests: {nvidia.com/gpu: 8}}}]}
)";

/// Three nodes with 4 of 8 GPUs in use each; `old` has run for 2 h, `new` for 1 h, and `kept` may
/// not move.
std::vector<std::string> halves() {
    return {node("a-1"),
            node("a-2"),
            node("b-1"),
            pod("old", "a-1", 4, "10:00:00"),
            pod("new", "a-2", 4, "11:00:00"),
            pod("kept",
                "b-1",
                4,
                "11:30:00",
                R"("quota.scheduling.koordinator.sh/preemptible": "false")"),
            pod("clock", "b-1", 0, "12:00:00")};
}

}  // namespace

TEST_CASE("defrag: the pod moves that loses the least work", "[cli][defrag]") {
    const Folder folder;
    folder.write("cluster.json", list(halves()));
    folder.write("big.yaml", eight);
    const std::string out = done(folder, {"defrag", "cluster.json", "--job", "big.yaml"});
    CHECK(out ==
          "1 pod moves, 4 GPU-hours of work are lost, then lab/big fits on a-2\n"
          "  1. lab/new goes from a-2 to a-1 with its 4 GPUs, and loses 4 GPU-hours\n"
          "No plan loses less.\n");
    const Json json =
        Json::parse(done(folder, {"defrag", "cluster.json", "--job", "big.yaml", "--json"}));
    CHECK(json["reached"] == true);
    CHECK(json["loses_s"] == 4 * 3600.0);
    CHECK(json["moves"][0]["to"] == "a-1");
    CHECK(json["room"][0]["node"] == "a-2");
}

TEST_CASE("defrag: a pod goes only to nodes that its spec allows", "[cli][defrag]") {
    const Folder folder;
    std::vector<std::string> objects = halves();
    objects[0] = node("a-1", R"("spec": {"taints": [{"key": "t", "effect": "NoSchedule"}]},)");
    folder.write("cluster.json", list(objects));
    folder.write("big.yaml", eight);
    CHECK(done(folder, {"defrag", "cluster.json", "--job", "big.yaml"}).find("from a-2 to b-1") !=
          std::string::npos);
    // A budget that allows nothing keeps it where it is: the other pod's node is tainted for `big`.
    objects[4] = pod("new", "a-2", 4, "11:00:00", R"("app": "x")");
    objects.emplace_back(R"({"kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "lab"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}})");
    folder.write("cluster.json", list(objects));
    CHECK(done(folder, {"defrag", "cluster.json", "--job", "big.yaml"}) ==
          "no moves make room for lab/big: at best, there is room for 0 of 1 pod, and 8 GPUs are "
          "missing\n");
}

TEST_CASE("defrag: whole nodes of a level, and what is nearest", "[cli][defrag]") {
    const Folder folder;
    folder.write("cluster.json", list(halves()));
    folder.write("big.yaml", eight);
    const std::string zone =
        done(folder, {"defrag", "cluster.json", "--whole", "1", "--of", "server"});
    CHECK(zone.starts_with("1 pod moves, 4 GPU-hours of work are lost, then a-2 is whole\n"));
    CHECK(done(folder, {"defrag", "cluster.json", "--whole", "2"}) ==
          "no moves make 2 servers whole: 1 can be\n");
    CHECK(done(folder, {"defrag", "cluster.json", "--budget", "3"})
              .starts_with("1 pod moves, 4 GPU-hours of work are lost, then 1 pod of 8 GPUs "
                           "fits instead of 0\n"));
    CHECK(done(folder, {"defrag", "cluster.json", "--budget", "1", "--gpus", "4"})
              .starts_with("no moves help: there is room for 3 pods of 4 GPUs"));
    std::vector<std::string> empty = halves();
    empty.push_back(node("b-2"));
    folder.write("cluster.json", list(empty));
    CHECK(done(folder, {"defrag", "cluster.json", "--job", "big.yaml"}) ==
          "no pod needs to move: lab/big fits on b-2\n");
}

TEST_CASE("defrag: a run at a time", "[cli][defrag][moves]") {
    const Folder folder;
    folder.write("run.yaml", R"(kind: Experiment
metadata: {name: run}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 1}, {name: server, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 64, nvidia.com/gpu: 8}}}
  types: {four: {nvidia.com/gpu: 4}, eight: {nvidia.com/gpu: 8}}
  scheduler: {profile: {score: [worst-fit]}}
  workload:
    - pods:
        - {name: a, type: four, at: 0s, lifetime: 10h}
        - {name: b, type: four, at: 1h, lifetime: 10h}
        - {name: c, type: eight, at: 2h, lifetime: 1h}
)");
    (void)done(folder, {"run", "run.yaml", "--quiet"});
    CHECK(done(folder, {"defrag", "out/run", "--at", "3h", "--job", "c"}) ==
          "1 pod moves, 8 GPU-hours of work are lost, then c fits on server-1\n"
          "  1. b goes from server-1 to server-0 with its 4 GPUs, and loses 8 GPU-hours\n"
          "No plan loses less.\n");
    const Answer none = folder.berth({"defrag", "out/run", "--job", "c"});
    CHECK(none.status == 2);
    CHECK(none.first_line() == "out/run: error: a run has many states: expected --at DURATION");
    // With a descheduler, the job starts at the first turn after its arrival.
    const std::string summary = done(folder,
                                     {"run",
                                      "run.yaml",
                                      "--quiet",
                                      "-o",
                                      "moved",
                                      "--check-invariants",
                                      "--set",
                                      "spec.descheduler={every: 30m}"});
    CHECK(folder.read("moved/pods.csv").find(",9000,") != std::string::npos);  // c starts at 2 h 30
}

TEST_CASE("defrag: wrong questions and states are said in one line", "[cli][defrag]") {
    const Folder folder;
    folder.write("cluster.json", list(halves()));
    folder.write("big.yaml", eight);
    const auto first_line = [&](const Arguments& arguments) {
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        return answer.first_line();
    };
    CHECK(first_line({"defrag", "cluster.json"}).starts_with("berth defrag: error: no question"));
    CHECK(first_line({"defrag", "cluster.json", "--job", "bog"}) ==
          "berth defrag --job: error: no file and no waiting job 'bog': expected a file, since no "
          "job waits");
    CHECK(first_line({"defrag", "cluster.json", "--whole", "1", "--of", "rank"})
              .starts_with("berth defrag --of: error: no level 'rank': expected"));
    std::vector<std::string> objects = halves();
    objects.push_back(pod("lost", "c-1", 1, "10:00:00"));
    folder.write("absent.json", list(objects));
    CHECK(first_line({"defrag", "absent.json", "--budget", "1"})
              .find("pod 'lab/lost' runs on node 'c-1', which the topology lacks") !=
          std::string::npos);
    objects.back() = pod("more", "a-1", 5, "10:00:00");
    folder.write("more.json", list(objects));
    CHECK(first_line({"defrag", "more.json", "--budget", "1"})
              .find("pod 'lab/more' does not fit on node 'a-1'") != std::string::npos);
}
