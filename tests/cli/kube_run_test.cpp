// Runs that kube-scheduler decides, from the document to the tables.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// There are two zones of two servers, of two machine types in turn. `workload` has its sources.
std::string experiment(const std::string& workload, const std::string& scheduler = "{kube: {}}") {
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
  types: {one: {cpu: 1}, gpu: {nvidia.com/gpu: 1}, half: {cpu: 1, nvidia.com/gpu: 500m}}
  workload:
)" + workload +
           "  scheduler: " + scheduler + "\n  until: 1h\n";
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
            {"of a server", "nodeSelector: {kubernetes.io/hostname: server-1}", {{"zone-0", 4}}},
            {"of no zone", "nodeSelector: {topology.kubernetes.io/zone: zone-9}", {{"none", 4}}},
            {"spread over zones",
             "labels: {a: b}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
             "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
             "{matchLabels: {a: b}}}]",
             {{"zone-0", 2}, {"zone-1", 2}}},
        }));
    CAPTURE(what);
    const Folder folder;

    const std::string warnings = run_sound(
        folder, experiment("    - pods: [{name: a, type: one, count: 4, " + entry + "}]\n"));

    CHECK(warnings.find("no server") == std::string::npos);
    CHECK(zones_of(folder) == expected);
}

TEST_CASE("kube runs: what kube-scheduler does not know is refused", "[cli][kube][bad-input]") {
    const std::string pod = "pods: [{name: a, type: one}]";
    const std::string configured = "{kube: {config: {apiVersion: kubescheduler.config.k8s.io/";
    const auto [source, scheduler, expected] =
        GENERATE_COPY(table<std::string, std::string, std::string>({
            {"pods: [{name: a, type: half}]", "{kube: {}}", "a asks for a part of a GPU"},
            {"generate: {name: a, arrivals: 1m, service: 1h, count: 5, type: half}",
             "{kube: {}}",
             "a asks for a part of a GPU"},
            {"generate: {arrivals: 1m, service: 1h, count: 5, mix: [{type: one}, {group: {spec: "
             "{group: {name: g, size: 2, type: one}, constraints: [{level: zone, affinity: "
             "pack}]}}}]}",
             "{kube: {}}",
             "g has constraints of a placement group"},
            {pod,
             "{kube: {}, kueue: {objects: []}, period: 1m}",
             "'period' cannot be used with 'kube', which decides everything"},
            {pod,
             configured + "v1beta3, kind: KubeSchedulerConfiguration}}}",
             "an object that does not configure kube-scheduler"},
            {pod,
             configured + "v1, kind: KubeSchedulerConfiguration, profile: []}}}",
             "unknown key 'profile' in a KubeSchedulerConfiguration: expected apiVersion"},
            {pod,
             configured + "v1, kind: KubeSchedulerConfiguration, podMaxBackoffSeconds: 0}}}",
             "podMaxBackoffSeconds is \"0\": expected a whole number from 1 to"},
            {pod,
             configured + "v1, kind: KubeSchedulerConfiguration, profiles: [{pluginConfig: "
                          "[{args: {}}]}]}}}",
             "no profiles[0].pluginConfig[0].name: expected one"},
        }));
    const Folder folder;
    folder.write("run.yaml", experiment("    - " + source + "\n", scheduler));

    const Answer run = folder.berth({"validate", "run.yaml"});

    CHECK(run.status == 2);
    CAPTURE(run.err);
    CHECK(run.err.find("error: " + expected) != std::string::npos);
}

TEST_CASE("kube runs: what has no effect is said", "[cli][kube]") {
    const Folder folder;
    const std::string warnings =
        run_sound(folder,
                  experiment("    - pods: [{name: a, type: one, preemptible: false}]\n",
                             "{kube: {config: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                             "KubeSchedulerConfiguration, extenders: [{urlPrefix: here}]}}}"));

    CHECK(warnings.find("1 extender(s): they are not asked") != std::string::npos);
    CHECK(warnings.find("preemptible: false has no effect") != std::string::npos);
}

TEST_CASE("kube runs: a cycle that fails is repeated after the configured backoff", "[cli][kube]") {
    const auto [seconds, start] = GENERATE(table<std::string, std::string>(
        {{"", "30"},  // the third repetition, after 1, 2 and 4 s
         {", podInitialBackoffSeconds: 100, podMaxBackoffSeconds: 100", "121"}}));
    const Folder folder;
    std::string events;
    for (const char* server : {"server-0", "server-1", "server-2", "server-3"}) {
        for (const char* event : {"10s, event: fail", "30s, event: repair"}) {
            events += std::string("{node: ") + server + ", at: " + event + "}, ";
        }
    }
    (void)run_sound(folder,
                    experiment("    - pods: [{name: a, type: one, at: 20s}]\n",
                               "{kube: {config: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                               "KubeSchedulerConfiguration" +
                                   seconds + "}}}\n  failures: {events: [" + events + "]}"));

    CHECK(pods_of(folder).front().at("start_s") == start);
}

TEST_CASE("kube runs: the shape of a group is that of all that start at once", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment("    - groups: [{lifetime: 1m, document: {kind: GroupPlacement, spec: "
                   "{group: {name: g, size: 4, type: gpu}}}}]\n"));

    const auto groups = csv_rows(folder.read("out/run/groups.csv"));

    REQUIRE(groups.size() == 1);
    CHECK(groups[0].at("zone_used") == "2");
    CHECK(groups[0].at("server_used") == "4");
}

TEST_CASE("kube runs: the results tell which pods were preempted", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment("    - pods: [{name: low, type: gpu, count: 4}, {name: high, type: gpu, "
                   "at: 1m, priority: 1}]\n"));

    const auto pods = pods_of(folder);
    REQUIRE(pods.size() == 5);
    CHECK(std::ranges::count_if(pods,
                                [](const CsvRow& pod) { return pod.at("preempted") == "1"; }) == 1);
    const auto evictions = csv_rows(folder.read("out/run/evictions.csv"));
    REQUIRE(evictions.size() == 1);
    CHECK(evictions[0].at("pod").starts_with("low-"));
    CHECK(evictions[0].at("ran_s") == "60");
}

TEST_CASE("kube runs: a cordoned node that is repaired takes pods", "[cli][kube]") {
    const Folder folder;
    folder.write("nodes.json", R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
  "spec": {"unschedulable": true,
           "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]},
  "status": {"allocatable": {"cpu": "8", "pods": "9"}}})");
    (void)run_sound(folder, R"(kind: Experiment
metadata: {name: kube}
spec:
  topology: {nodes: {format: kubernetes, file: nodes.json}}
  types: {one: {cpu: 1}}
  scheduler: {kube: {}}
  workload: [{pods: [{type: one, lifetime: 1h}]}]
  failures: {events: [{at: 1m, node: a, event: repair}]}
)");

    REQUIRE(pods_of(folder).size() == 1);
    CHECK(pods_of(folder)[0].at("outcome") == "finished");
}

TEST_CASE("kube runs: what pods of a trace say about each other counts", "[cli][kube]") {
    // No two of them may be in one of the two zones, unless they are in different namespaces.
    const auto [name_space, start] =
        GENERATE(table<std::string, std::string>({{"shop", "1800"}, {"lab", "0"}}));
    const Folder folder;
    std::string pods;
    for (const std::string name : {"a", "b", "c"}) {
        pods += R"({"kind": "Pod", "metadata": {"name": ")" + name + R"(", "namespace": ")" +
                (name == "c" ? name_space : "shop") + R"(", "labels": {"app": "a"},
  "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"containers": [{"resources": {"requests":
  {"cpu": "1"}}}], "affinity": {"podAntiAffinity": {
  "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "topology.kubernetes.io/zone",
  "labelSelector": {"matchLabels": {"app": "a"}}}]}}},
  "status": {"phase": "Succeeded", "startTime": "2026-01-01T00:00:01Z", "containerStatuses": [
  {"state": {"terminated": {"startedAt": "2026-01-01T00:00:01Z",
                            "finishedAt": "2026-01-01T00:30:01Z"}}}]}})" +
                "\n";
    }
    folder.write("pods.json", pods);

    const std::string warnings =
        run_sound(folder, experiment("    - trace: {format: kubernetes, file: pods.json}\n"));

    CHECK(warnings.find("not modelled") == std::string::npos);
    CHECK(pods_of(folder).back().at("start_s") == start);
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

    (void)run_sound(folder,
                    experiment("    - running: {file: pods.json, pending: true, lifetime: 1d}\n"));

    CHECK(zones_of(folder) == std::map<std::string, int>{{"zone-0", 2}, {"zone-1", 2}});
}

TEST_CASE("kube runs: why repeats the last message, and tells what would help", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(folder,
                    experiment("    - pods: [{name: a, type: one, nodeSelector: {pool: none}}]\n"));

    const Answer why = folder.berth({"why", "out/run", "a"});

    CHECK(why.out.find("failed attempt stopped at filter NodeAffinity") != std::string::npos);
    CHECK(why.out.find("remove pool=none from nodeSelector") != std::string::npos);
    CHECK(why.out.find("4 node(s) didn't match Pod's node affinity/selector") != std::string::npos);
}
