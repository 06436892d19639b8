// Which running pods must move so that others fit.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
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

TEST_CASE("defrag: what is said when no moves are found", "[cli][defrag]") {
    const Folder folder;
    folder.write("cluster.json", list(halves()));
    const auto pods_of = [&](int gpus, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += fmt::format(
                "{}kind: Pod\nmetadata: {{name: big-{}, namespace: lab}}\n"
                "spec: {{tolerations: [], containers: [{{resources: {{requests: "
                "{{nvidia.com/gpu: {}}}}}}}]}}\n",
                i == 0 ? "" : "---\n",
                i,
                gpus);
        }
        folder.write("pods.yaml", text);
        return Arguments{"defrag", "cluster.json", "--job", "pods.yaml"};
    };
    CHECK(done(folder, pods_of(9, 1)) ==
          "no moves make room for lab/big-0: a pod asks for 9 GPUs, and the largest node has 8 "
          "GPUs\n");
    CHECK(done(folder, {"defrag", "cluster.json", "--budget", "1", "--gpus", "9"}) ==
          "no moves make room for pods of 9 GPUs: a pod asks for 9 GPUs, and the largest node has "
          "8 GPUs\n");
    CHECK(done(folder, pods_of(8, 2)) ==
          "no moves make room for lab/big-0 and 1 more: they ask for 16 GPUs, and 12 GPUs are "
          "free, 4 GPUs too few\n");
    Arguments budget = pods_of(8, 2);
    budget.insert(budget.end(), {"--budget", "1"});
    CHECK_THAT(done(folder, budget), Catch::Contains("then 1 pod like lab/big-0 fits instead"));
    // Without a search, moves that a quick one does not find may exist.
    std::vector<std::string> tight{node("a-1"), node("a-2"), node("a-3")};
    for (int i = 0; i < 3; ++i) {
        tight.push_back(pod(fmt::format("five-{}", i), fmt::format("a-{}", i + 1), 5, "10:00:00"));
    }
    folder.write("cluster.json", list(tight));
    Arguments quick = pods_of(8, 1);
    quick.insert(quick.end(), {"--states", "0"});
    CHECK(done(folder, quick) ==
          "no moves were found that make room for lab/big-0: with moves that were found, there is "
          "room for 0 of 1 pod, and 8 GPUs are missing; a larger --states may find more\n");
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
    CHECK(folder.read("moved/moves.csv") ==
          "replication,time_s,pod,from,to,ran_s,lost_s,gained\n"
          "0,9000,b,server-1,server-0,5400,5400,1\n");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out/run/moves.csv"));
}

TEST_CASE("defrag: a page shows the servers before and after the moves", "[cli][defrag]") {
    const Folder folder;
    folder.write("cluster.json", list(halves()));
    folder.write("big.yaml", eight);
    (void)done(folder, {"defrag", "cluster.json", "--job", "big.yaml", "-o", "moves.html"});
    const std::string page = folder.read("moves.html");
    CHECK_THAT(page,
               Catch::Contains("<h1>1 pod moves, 4 GPU-hours of work are lost, then lab/big "
                               "fits on a-2</h1>"));
    CHECK_THAT(page, Catch::Contains("<title>lab/new</title>"));
    CHECK_THAT(page, Catch::Contains("class=\"room\""));
    CHECK(page.find("b-1") == std::string::npos);  // the moves are not about it
    (void)done(folder, {"defrag", "cluster.json", "--job", "big.yaml", "-o", "moves.svg"});
    CHECK(page.find(folder.read("moves.svg")) != std::string::npos);
    (void)done(folder, {"defrag", "cluster.json", "--job", "big.yaml", "-o", "moves.json"});
    CHECK(Json::parse(folder.read("moves.json"))["reached"] == true);
    const Answer none =
        folder.berth({"defrag", "cluster.json", "--job", "big.yaml", "-o", "moves.txt"});
    CHECK(none.status == 2);
    CHECK(none.first_line() ==
          "moves.txt: error: expected a name that ends in .html for a page, .svg for a picture or "
          ".json for the answer");
}

TEST_CASE("defrag: pods of unknown age are said", "[cli][defrag]") {
    const Folder folder;
    std::vector<std::string> objects = halves();
    const std::string start = R"("startTime": "2026-01-01T11:00:00Z")";
    objects[4].replace(objects[4].find(start), start.size(), R"("reason": "")");
    folder.write("cluster.json", list(objects));
    folder.write("big.yaml", eight);
    const Answer answer = folder.berth({"defrag", "cluster.json", "--job", "big.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("warning: 1 running pod has no status.startTime: its work counts "
                               "from metadata.creationTimestamp on, and as none without it"));
}

TEST_CASE("defrag: an interrupted search gives no answer", "[cli][defrag]") {
    const Folder folder;
    std::vector<std::string> objects;
    for (int i = 0; i < 30; ++i) {
        objects.push_back(node("a-" + std::to_string(i)));
        for (int k = 1; k <= 3; ++k) {
            objects.push_back(pod(fmt::format("p-{}-{}", i, k),
                                  "a-" + std::to_string(i),
                                  k,
                                  fmt::format("{:02}:00:00", 1 + (i * k) % 20)));
        }
    }
    folder.write("cluster.json", list(objects));
    const Answer answer = folder.berth(
        {"defrag", "cluster.json", "--whole", "6", "--states", "10000000", "-o", "moves.html"},
        {.meanwhile = [](int process) {
            ::usleep(500'000);
            ::kill(process, SIGINT);
        }});
    CHECK(answer.status == 130);
    CHECK(answer.out.empty());
    CHECK(answer.err == "cluster.json: interrupted: no answer\n");
    CHECK(folder.listing() == std::vector<std::string>{"cluster.json"});
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
    CHECK(first_line({"defrag", "cluster.json", "--budget", "1", "--of", "zone"})
              .starts_with("berth defrag: error: --of without --whole"));
    CHECK(first_line({"defrag", "cluster.json", "--job", "bog"}) ==
          "berth defrag --job: error: no file and no waiting job 'bog': expected a file, since no "
          "job waits");
    CHECK(first_line({"defrag", "cluster.json", "--whole", "1", "--of", "rank"})
              .starts_with("berth defrag --of: error: no level 'rank': expected"));
    std::vector<std::string> objects = halves();
    objects.push_back(pod("lost", "c-1", 1, "10:00:00"));
    folder.write("absent.json", list(objects));
    CHECK(first_line({"defrag", "absent.json", "--budget", "1"})
              .find("pod 'lab/lost' runs on node 'c-1', which the topology lacks: expected a node "
                    "of the topology, or --lenient") != std::string::npos);
    const Answer lenient = folder.berth({"defrag", "absent.json", "--whole", "1", "--lenient"});
    CHECK(lenient.status == 0);
    CHECK_THAT(lenient.err, Catch::Contains("1 pod like it is left out"));
    folder.write("run.yaml", "kind: Experiment\nmetadata: {name: run}\nspec: {}\n");
    CHECK(first_line({"defrag", "run.yaml", "--whole", "1", "--lenient"})
              .starts_with("berth defrag: error: --lenient without a list of a cluster"));
    objects.back() = pod("more", "a-1", 5, "10:00:00");
    folder.write("more.json", list(objects));
    CHECK(first_line({"defrag", "more.json", "--budget", "1"})
              .find("pod 'lab/more' does not fit on node 'a-1'") != std::string::npos);
}
