// Pods that a Deployment, a ReplicaSet, a StatefulSet or a Job keeps, as a source of a workload.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// There are two zones of two servers. `entries` are those of a list of pods.
std::string experiment(const std::string& entries, const std::string& scheduler) {
    return R"(kind: Experiment
metadata: {name: run}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 2}, {name: server, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 1}}}
  types: {gpu: {nvidia.com/gpu: 1}}
  workload:
    - background: {csv: "server,cpu\nserver-0,2\nserver-1,2\n"}
    - pods: [)" +
           entries + "]\n  scheduler: " + scheduler + "\n  until: 1h\n";
}

/// Runs such an experiment. Returns: its warnings.
std::string run(const Folder& folder,
                const std::string& entries,
                const std::string& scheduler = "{kube: {}}") {
    return run_sound(folder, experiment(entries, scheduler));
}

/// How many pods have a value in a column.
std::ptrdiff_t how_many(const Folder& folder, const char* column, const std::string& value) {
    const auto pods = pods_of(folder);
    return std::ranges::count_if(pods, [&](const CsvRow& pod) { return pod.at(column) == value; });
}

/// An object with a label `app: web` on its pods, of which each asks for `requests`.
std::string object(const std::string& kind,
                   const std::string& counts,
                   const std::string& spec = "",
                   const std::string& requests = "{cpu: 1}") {
    return "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: web, uid: x}, spec: {" +
           counts + "selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: " +
           "web}}, spec: {" + spec +
           "containers: [{name: c, image: i, resources: {requests: " + requests + "}}]}}}}";
}

std::string entry(const std::string& object, const std::string& more = "") {
    return "{document: " + object + more + "}";
}

}  // namespace

TEST_CASE("pods of objects: each kind says how many there are", "[cli][kube]") {
    const auto [given, expected] = GENERATE(table<std::string, std::vector<std::string>>({
        {entry(object("Deployment", "replicas: 3, ")), {"web-0", "web-1", "web-2"}},
        {entry(object("ReplicaSet", "replicas: 2, ")), {"web-0", "web-1"}},
        {entry(object("StatefulSet", "")), {"web"}},
        {entry(object("Job", "")), {"web"}},
        {entry(object("Job", "parallelism: 2, completions: 5, ")), {"web-0", "web-1"}},
        {entry(object("Job", "parallelism: 4, completions: 1, ")), {"web"}},
        {entry(object("Job", "parallelism: 2, ")), {"web-0", "web-1"}},
        {entry(object("Deployment", "replicas: 3, "), ", count: 2, name: a"), {"a-0", "a-1"}},
        {entry(object("Deployment", ""), ", namespace: shop"), {"shop/web"}},
    }));
    CAPTURE(given);
    const Folder folder;

    (void)run(folder, given);

    std::vector<std::string> names;
    for (const CsvRow& pod : pods_of(folder)) {
        names.push_back(pod.at("pod"));
        CHECK(pod.at("outcome") == "running");
    }
    CHECK(names == expected);
}

TEST_CASE("pods of objects: one that asks for none is told", "[cli][kube]") {
    const std::string empty =
        GENERATE(object("Deployment", "replicas: 0, "), object("Job", "suspend: true, "));
    const Folder folder;

    const std::string warnings = run(folder, entry(empty));

    CHECK(warnings.find("web asks for no pods") != std::string::npos);
    CHECK(pods_of(folder).empty());
}

TEST_CASE("pods of objects: they ask for what their containers request", "[cli][kube]") {
    // 3 CPUs each: two fit beside the 2 that are in use on two servers, and two on the others.
    const Folder folder;

    (void)run(folder,
              entry(object("Deployment",
                           "replicas: 9, ",
                           "initContainers: [{name: i, restartPolicy: Always, resources: "
                           "{limits: {cpu: 1}}}], ",
                           "{cpu: 2}"),
                    ", lifetime: 10m"));

    CHECK(how_many(folder, "start_s", "0") == 8);
    CHECK(how_many(folder, "outcome", "finished") == 9);
}

TEST_CASE("pods of objects: kube-scheduler spreads those of sets by default", "[cli][kube]") {
    const auto [kind, expected] = GENERATE(table<std::string, std::map<std::string, int>>({
        {"Deployment", {{"zone-0", 2}, {"zone-1", 2}}},
        {"ReplicaSet", {{"zone-0", 2}, {"zone-1", 2}}},
        {"StatefulSet", {{"zone-0", 2}, {"zone-1", 2}}},
    }));
    CAPTURE(kind);
    const Folder folder;

    // Without a set to control them, the servers of zone-1 with more free CPUs would come first.
    (void)run(folder, entry(object(kind, "replicas: 4, ", "", "{cpu: 100m}")));
    CHECK(zones_of(folder) == expected);
    (void)run(folder, entry(object("Job", "parallelism: 4, completions: 4, ", "", "{cpu: 100m}")));
    CHECK(zones_of(folder) == std::map<std::string, int>{{"zone-1", 4}});
}

TEST_CASE("pods of objects: their specs say where they may run", "[cli][kube]") {
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
        "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}, "
        "matchLabelKeys: [pod-template-hash]}], ";
    const std::string one_by_one =
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: web}}}]}"
        "}, ";
    // All pods with a label `app` are meant, but for those with the same value.
    const std::string beside_others =
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchExpressions: [{key: "
        "app, operator: Exists}]}, mismatchLabelKeys: [app]}]}}, ";
    const auto [spec, expected] = GENERATE_COPY(table<std::string, std::map<std::string, int>>({
        {"nodeSelector: {topology.kubernetes.io/zone: zone-0}, ", {{"zone-0", 4}}},
        {spread, {{"zone-0", 2}, {"zone-1", 2}}},
        {one_by_one, {{"none", 2}, {"zone-0", 1}, {"zone-1", 1}}},
        {beside_others, {{"zone-0", 2}, {"zone-1", 2}}},
    }));
    CAPTURE(spec);
    const Folder folder;

    (void)run(folder, entry(object("Deployment", "replicas: 4, ", spec)));

    CHECK(zones_of(folder) == expected);
}

TEST_CASE("pods of objects: their priority is that of their class", "[cli][kube]") {
    const std::string classes =
        "{kube: {objects: [{kind: PriorityClass, metadata: {name: high}, value: 7}, {kind: "
        "PriorityClass, metadata: {name: usual}, value: 3, globalDefault: true}]}}";
    const auto [spec, more, scheduler, expected] =
        GENERATE_COPY(table<std::string, std::string, std::string, std::string>({
            {"", "", "{kube: {}}", "0"},
            {"", "", classes, "3"},
            {"priorityClassName: high, ", "", classes, "7"},
            {"priorityClassName: high, priority: 5, ", "", classes, "5"},
            {"priorityClassName: high, ", ", priority: 9", classes, "9"},
            {"priorityClassName: unknown, ", ", priority: 9", classes, "9"},
            {"priorityClassName: system-cluster-critical, ", "", "{kube: {}}", "2000000000"},
        }));
    CAPTURE(spec, more, scheduler);
    const Folder folder;

    (void)run(folder, entry(object("Deployment", "", spec), more), scheduler);

    CHECK(pods_of(folder).front().at("priority") == expected);
}

TEST_CASE("pods of objects: a class may not let them preempt", "[cli][kube]") {
    const auto [policy, outcome] = GENERATE(table<std::string, std::string>(
        {{"Never", "waiting"}, {"PreemptLowerPriority", "running"}}));
    const Folder folder;

    (void)run(folder,
              "{type: gpu, count: 4}, " +
                  entry(object("Job", "", "priorityClassName: high, ", "{nvidia.com/gpu: 1}"),
                        ", at: 1m"),
              "{kube: {objects: [{kind: PriorityClass, metadata: {name: high}, value: 7, "
              "preemptionPolicy: " +
                  policy + "}]}}");

    CHECK(pods_of(folder).back().at("pod") == "web");
    CHECK(pods_of(folder).back().at("outcome") == outcome);
}

TEST_CASE("pods of objects: a file may have several, and others", "[cli][kube]") {
    const Folder folder;
    std::string set = object("ReplicaSet", "replicas: 5, ");
    set.replace(set.find("uid: x"), 6, "ownerReferences: [{kind: Deployment, name: web}]");
    std::string job = object("Job", "");
    job.replace(job.find("name: web"), 9, "name: job");
    folder.write("web.yaml",
                 "{kind: Service, metadata: {name: web}}\n---\n{kind: List, items: [" +
                     object("Deployment", "replicas: 2, ") + ", " + set + "]}\n---\n" + job + "\n");

    (void)run(folder, "{file: web.yaml, at: 1m}");

    CHECK(pods_of(folder).size() == 3);
    CHECK(pods_of(folder)[2].at("pod") == "job");
    CHECK(folder.read("out/run/experiment.yaml").find("Service") == std::string::npos);
    CHECK(folder.berth({"verify", "out/run"}).status == 0);
}

TEST_CASE("pods of objects: other schedulers take them, too", "[cli]") {
    const Folder folder;

    const std::string warnings =
        run(folder,
            entry(object("Deployment",
                         "replicas: 4, ",
                         "priorityClassName: high, nodeSelector: {kubernetes.io/hostname: "
                         "server-3}, ")),
            "{profile: {score: [best-fit]}}");

    CHECK(warnings.find("the priority of the class 'high' is not known: expected priority beside "
                        "the file; it is 0") != std::string::npos);
    CHECK(how_many(folder, "outcome", "running") == 4);
}

TEST_CASE("pods of objects: who runs one is told where it belongs", "[cli][bad-input]") {
    const Folder folder;
    folder.write("web.yaml", object("Deployment", "") + "\n");

    const Answer answer = folder.berth({"run", "web.yaml"});

    CHECK(answer.status == 2);
    CHECK(answer.err.find("found kind 'Deployment': expected Experiment; write one whose spec has "
                          "workload: [{pods: [{file: web.yaml}]}]") != std::string::npos);
}

TEST_CASE("pods of objects: wrong ones are refused in one line", "[cli][kube][bad-input]") {
    const std::string two =
        "{kind: List, items: [" + object("Job", "") + ", " + object("Deployment", "") + "]}";
    const auto [entry_of_pods, expected] = GENERATE_COPY(table<std::string, std::string>({
        {"{file: service.yaml}",
         "found no object in service.yaml that keeps pods: expected kind: Deployment, ReplicaSet"},
        {"{file: missing.yaml}", "missing.yaml"},
        {entry("{kind: DaemonSet}"),
         "expected an object of kind Deployment, ReplicaSet, StatefulSet or Job"},
        {entry("{kind: Deployment, spec: {}}"),
         "a Deployment without a name: expected metadata: {name: ...}"},
        {entry("{kind: Deployment, metadata: {name: a}, spec: {replicas: 1}}"),
         "a Deployment without pods: expected spec: {template: {spec: ...}}"},
        {entry(object("Deployment", "replicas: -1, ")), "expected"},
        {entry(object("Deployment", "", "priorityClassName: high, ")),
         "the priority of the class 'high' is not known: expected priority beside the file, or"},
        {entry(object("Deployment", ""), ", labels: {a: b}"),
         "unknown key 'labels' in an entry of pods with a document"},
        {entry(two, ", name: a"), "name of 2 objects: expected it for one alone, or none"},
        {entry(object("Job", "", "", "{cpu: many}")), "expected a Kubernetes quantity"},
    }));
    CAPTURE(entry_of_pods);
    const Folder folder;
    folder.write("service.yaml", "{kind: Service, metadata: {name: web}}\n");
    folder.write("run.yaml", experiment(entry_of_pods, "{kube: {}}"));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CHECK(answer.status == 2);
    CAPTURE(answer.err);
    CHECK(answer.err.find("error: ") != std::string::npos);
    CHECK(answer.err.find(expected) != std::string::npos);
}
