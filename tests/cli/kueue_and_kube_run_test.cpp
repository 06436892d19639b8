// Runs in which Kueue admits jobs and kube-scheduler places their pods.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"
#include "kueue_documents.hpp"

using namespace berth::tests;

namespace {

const std::string preempts_lower = "preemption: {withinClusterQueue: LowerPriority}";

/// A cluster of `servers` servers of four CPUs; `pods` are items of a list of pods or `groups`,
/// each indented by eight spaces behind the key.
std::string experiment(const KueueObjects& objects,
                       const std::string& workload,
                       int servers = 1,
                       const std::string& until = "1h",
                       const std::string& beside = "") {
    const KueueExperiment made{
        .servers = servers,
        .capacity = "cpu: 4",
        .types = "one: {cpu: 1}, two: {cpu: 2}, three: {cpu: 3}, four: {cpu: 4}",
        .workload = workload,
        .kueue = "\n" + beside + "      objects:\n" + kueue_list(objects, "      "),
        .more = "  until: " + until + "\n"};
    return made.text() + "    kube: {}\n";
}

std::map<std::string, CsvRow> run(const Folder& folder, const std::string& text) {
    folder.write("run.yaml", text);
    return jobs_of_run(folder);
}

std::string group(const std::string& name, int size, const std::string& type, const char* more) {
    return "        - {name: " + name + ", quota: queue, " + more +
           ", document: {kind: GroupPlacement, spec: {group: {name: " + name +
           ", size: " + std::to_string(size) + ", type: " + type + "}}}}\n";
}

/// How many pods whose name begins so run on each node.
std::map<std::string, int> nodes_of(const Folder& folder, const std::string& name) {
    std::map<std::string, int> nodes;
    for (const auto& [pod, row] : rows_by(folder, "pods.csv", "pod")) {
        nodes[row.at("node")] += pod.starts_with(name) ? 1 : 0;
    }
    std::erase_if(nodes, [](const auto& node) { return node.second == 0; });
    return nodes;
}

}  // namespace

TEST_CASE("kueue and kube: pods run on nodes of the flavor that they got", "[cli][kueue][kube]") {
    const Folder folder;
    const std::string text = R"(kind: Experiment
metadata: {name: both}
spec:
  topology:
    spec:
      levels: [{name: server, count: 4}]
      machines: [{type: old, weight: 1}, {type: new, weight: 1}]
      machineTypes:
        old: {capacity: {cpu: 4}, labels: {pool: old}}
        new: {capacity: {cpu: 4}, labels: {pool: new}}
  types: {one: {cpu: 1}}
  workload:
    - pods:
        - {name: first, type: one, count: 6, quota: queue}
        - {name: second, type: one, count: 4, quota: queue, at: 1s}
        - name: free
          type: one
          count: 2
          at: 2s
          nodeSelector: {kubernetes.io/hostname: server-1}
  until: 1h
  scheduler:
    kube: {}
    kueue:
      objects:
)" + kueue_list({flavor("old", "nodeLabels: {pool: old}"),
                 flavor("new", "nodeLabels: {pool: new}"),
                 cluster_queue("queue", {{"old", "6"}, {"new", "6"}})},
                "      ");

    const auto jobs = run(folder, text);

    // Six fill the quota of the first flavor, so that the others get the second one. Pods without a
    // queue go where they ask to.
    CHECK(nodes_of(folder, "first") ==
          std::map<std::string, int>{{"server-0", 3}, {"server-2", 3}});
    CHECK(nodes_of(folder, "second") ==
          std::map<std::string, int>{{"server-1", 2}, {"server-3", 2}});
    CHECK(nodes_of(folder, "free") == std::map<std::string, int>{{"server-1", 2}});
    CHECK(jobs.at("free-0").at("admitted_s").empty());
}

TEST_CASE("kueue and kube: flavors may name the labels of levels", "[cli][kueue][kube]") {
    const Folder folder;
    KueueExperiment made;
    made.cluster = two_racks(1, 4);
    made.pods = "        - {name: a, type: one, count: 3, quota: queue}\n";
    made.more = "  until: 20m\n";
    made.kueue = "\n      objects:\n" + kueue_list({flavor("second", "nodeLabels: {rack: rack-1}"),
                                                    cluster_queue("queue", {{"second", "4"}})},
                                                   "      ");
    folder.write("run.yaml", made.text() + "    kube: {}\n");

    const Answer answer = folder.berth({"run", "run.yaml", "--check-invariants", "-o", "out"});

    REQUIRE(answer.status == 0);
    CHECK(answer.err.find("no server has") == std::string::npos);
    CHECK(nodes_of(folder, "a") == std::map<std::string, int>{{"server-1", 3}});
}

TEST_CASE("kueue and kube: pods tolerate what their flavor and they themselves do",
          "[cli][kueue][kube]") {
    const auto [what, of_flavor, of_pod, start, reason] =
        GENERATE(table<std::string, std::string, std::string, std::string, std::string>({
            {"the flavor", ", tolerations: [{key: dedicated, operator: Exists}]", "", "0", ""},
            {"the pod", "", ", tolerations: [{key: dedicated, operator: Exists}]", "0", ""},
            {"neither", "", "", "", "0/1 nodes are available: 1 node(s) had untolerated taint"},
        }));
    CAPTURE(what);
    const Folder folder;
    folder.write("nodes.json", R"({"apiVersion": "v1", "kind": "Node",
  "metadata": {"name": "a", "labels": {"pool": "x"}},
  "spec": {"taints": [{"key": "dedicated", "value": "us", "effect": "NoSchedule"}]},
  "status": {"allocatable": {"cpu": "8", "pods": "9"}}})");

    const auto jobs =
        run(folder,
            "kind: Experiment\nmetadata: {name: both}\nspec:\n"
            "  topology: {nodes: {format: kubernetes, file: nodes.json}}\n"
            "  types: {one: {cpu: 1}}\n  until: 20m\n"
            "  workload: [{pods: [{name: a, type: one, quota: queue" +
                of_pod + "}]}]\n  scheduler:\n    kube: {}\n    kueue:\n" + "      objects:\n" +
                kueue_list({flavor("default", "nodeLabels: {pool: x}" + of_flavor),
                            cluster_queue("queue", "4")},
                           "      "));

    CHECK(jobs.at("a").at("start_s") == start);
    CAPTURE(jobs.at("a").at("reason"));
    CHECK(jobs.at("a").at("reason").starts_with(reason));
}

TEST_CASE("kueue and kube: who is admitted and finds no node holds quota", "[cli][kueue][kube]") {
    // Two servers of four CPUs have room for one pod of three each; there is quota for three.
    const KueueObjects objects{flavor(), cluster_queue("queue", "9")};
    const std::string workload = R"(    - pods:
        - {name: a, type: three, quota: queue, lifetime: 60s}
        - {name: b, type: three, quota: queue, lifetime: 90s, at: 1s}
        - {name: c, type: three, quota: queue, lifetime: 90s, at: 2s}
        - {name: d, type: one, quota: queue, lifetime: 10s, at: 3s}
)";
    const Folder folder;

    auto jobs = run(folder, experiment(objects, workload, 2, "30s"));

    CHECK(jobs.at("c").at("admitted_s") == "2");
    CHECK(jobs.at("c").at("start_s").empty());
    CHECK(jobs.at("c").at("reason").starts_with("0/2 nodes are available: 2 Insufficient cpu."));
    CHECK(jobs.at("d").at("admitted_s").empty());  // there is room for it, and no quota
    CHECK(jobs.at("d").at("reason").find("insufficient unused quota for cpu in flavor default") !=
          std::string::npos);
    const Answer of_c = folder.berth({"why", "out", "c"});
    CHECK(of_c.out.find("stopped at filter NodeResourcesFit") != std::string::npos);
    const Answer of_d = folder.berth({"why", "out", "d"});
    CHECK(of_d.out.find("quota of default") != std::string::npos);

    jobs = run(folder, experiment(objects, workload, 2));

    CHECK(jobs.at("c").at("start_s") == "60");
    CHECK(jobs.at("d").at("admitted_s") == "61");  // a second after `a` gave its quota back
    CHECK(jobs.at("d").at("start_s") == "61");
}

TEST_CASE("kueue and kube: whom Kueue preempts leaves its nodes to others", "[cli][kueue][kube]") {
    const auto [grace, start] =
        GENERATE(table<std::string, std::string>({{"", "60"}, {"      grace: 30s\n", "90"}}));
    const Folder folder;

    const auto jobs = run(folder,
                          experiment({flavor(), cluster_queue("queue", "4", preempts_lower)},
                                     R"(    - pods:
        - {name: low, type: four, quota: queue, lifetime: 600s}
        - {name: high, type: four, quota: queue, lifetime: 100s, at: 60s, priority: 1}
)",
                                     1,
                                     "1h",
                                     grace));

    CHECK(jobs.at("high").at("start_s") == start);
    CHECK(jobs.at("low").at("preempted") == "1");
    CHECK(rows_by(folder, "admissions.csv", "end").at("preempted").at("preemptor") == "high");
    CHECK(jobs.at("low").at("outcome") == "finished");
}

TEST_CASE("kueue and kube: whom kube-scheduler preempts keeps its quota", "[cli][kueue][kube]") {
    const Folder folder;

    const auto jobs = run(folder,
                          experiment({flavor(), cluster_queue("queue", "8", preempts_lower)},
                                     R"(    - pods:
        - {name: low, type: four, quota: queue, lifetime: 600s}
        - {name: high, type: four, quota: queue, lifetime: 100s, at: 60s, priority: 1}
        - {name: next, type: one, quota: queue, lifetime: 1s, at: 70s}
)"));

    CHECK(jobs.at("high").at("start_s") == "60");
    CHECK(jobs.at("low").at("preempted") == "1");
    CHECK(jobs.at("low").at("start_s") == "160");
    CHECK(jobs.at("next").at("admitted_s") == "161");  // until then, both hold all quota
    const auto holds = csv_rows(folder.read("out/admissions.csv"));
    CHECK(std::ranges::count_if(holds, [](const CsvRow& row) { return row.at("job") == "low"; }) ==
          1);
}

TEST_CASE("kueue and kube: who is not ready in time gives quota and nodes back",
          "[cli][kueue][kube][holds-places]") {
    const KueueObjects objects{
        configuration("waitForPodsReady: {timeout: 5m}"), flavor(), cluster_queue("queue", "8")};
    const Folder folder;
    SECTION("and is offered again after a minute") {
        const auto jobs = run(folder,
                              experiment(objects,
                                         "    - pods:\n        - {name: a, type: two, quota: "
                                         "queue, lifetime: 400s}\n    - groups:\n" +
                                             group("g", 2, "two", "at: 1s, lifetime: 100s")));

        // One member has a node from 1 s to 301 s, and from 361 s on; the other one from 400 s on.
        CHECK(jobs.at("g").at("start_s") == "361");
        CHECK(jobs.at("g").at("finish_s") == "500");
        CHECK(jobs.at("g").at("revoked") == "1");
        const auto holds = rows_by(folder, "admissions.csv", "end");
        CHECK(holds.at("not-ready").at("until_s") == "301");
    }
    SECTION("and is given up if nothing else is in its way") {
        const auto jobs =
            run(folder,
                experiment(objects,
                           "    - groups:\n" + group("g", 3, "two", "at: 1s, lifetime: 100s")));

        CHECK(jobs.at("g").at("dropped_s") == "301");
        CHECK(jobs.at("g").at("reason").starts_with("given up: its pods found no place"));
    }
    SECTION("even if it works with fewer pods") {
        const auto jobs =
            run(folder,
                experiment(objects,
                           "    - groups:\n" +
                               group("g", 3, "two, minAvailable: 2", "at: 1s, lifetime: 400s")));

        // It runs from 1 s, 361 s, 781 s, 1321 s and 2101 s for five minutes each, and again.
        CHECK(jobs.at("g").at("start_s") == "3361");
        CHECK(jobs.at("g").at("revoked") == "5");
    }
}

TEST_CASE("kueue and kube: a gang that is told to leave gets no more nodes", "[cli][kueue][kube]") {
    // One member of `g` has a node when Kueue preempts it at 10 s. At 20 s there is room for the
    // other one, but by then its pod is gone.
    const Folder folder;
    const auto jobs = run(folder,
                          experiment({flavor(), cluster_queue("queue", "4", preempts_lower)},
                                     R"(    - pods:
        - {name: free, type: two, lifetime: 20s}
        - {name: high, type: one, quota: queue, at: 10s, lifetime: 60s, priority: 1}
    - groups:
)" + group("g", 2, "two", "at: 1s, lifetime: 100s"),
                                     1,
                                     "1h",
                                     "      grace: 30s\n"));

    CHECK(jobs.at("high").at("start_s") == "40");
    CHECK(jobs.at("g").at("preempted") == "1");
    CHECK(jobs.at("g").at("start_s") == "101");
    CHECK(jobs.at("g").at("finish_s") == "201");
}

TEST_CASE("kueue and kube: flavors that give places are refused", "[cli][kueue][kube][bad-input]") {
    const Folder folder;
    folder.write("run.yaml",
                 R"(kind: Experiment
metadata: {name: both}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}, labels: {pool: x}}}
  types: {one: {cpu: 1}}
  workload: [{pods: [{name: a, type: one, quota: queue}]}]
  scheduler:
    kube: {}
    kueue:
      objects:
)" + kueue_list({topology("racks", {"example.com/rack"}),
                 flavor_with_topology("default", "x", "racks"),
                 cluster_queue("queue", "4")},
                "      "));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CHECK(answer.status == 2);
    CAPTURE(answer.err);
    CHECK(answer.err.find("flavors with a topology give pods their places, which cannot be used "
                          "with a scheduler that places pods itself") != std::string::npos);
}
