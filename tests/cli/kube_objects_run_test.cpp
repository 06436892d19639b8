// What Services, ReplicaSets, Namespaces and PodDisruptionBudgets change in runs of kube-scheduler.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// There are two zones of two servers. `objects` is what stands behind the key.
std::string experiment(const std::string& workload, const std::string& objects) {
    return R"(kind: Experiment
metadata: {name: kube}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 2}, {name: server, count: 2}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 1}}}
  types: {one: {cpu: 1}, gpu: {nvidia.com/gpu: 1}}
  workload:
)" + workload +
           "  scheduler: {kube: {objects: " + objects + "}}\n  until: 1h\n";
}

/// Runs such an experiment. Returns: its warnings.
std::string run(const Folder& folder, const std::string& workload, const std::string& objects) {
    return run_sound(folder, experiment(workload, objects));
}

/// Who was preempted, one after the other: the names up to the first hyphen.
std::vector<std::string> victims_of(const Folder& folder) {
    std::vector<std::string> victims;
    for (const CsvRow& row : csv_rows(folder.read("out/run/evictions.csv"))) {
        victims.push_back(row.at("pod").substr(0, row.at("pod").find('-')));
    }
    return victims;
}

// 6 of 8 CPUs of the servers of zone-0 are in use, so that those of zone-1 score higher.
constexpr const char* background =
    "    - background: {csv: \"server,cpu\\nserver-0,6\\nserver-1,6\\n\"}\n";

std::string service(const std::string& metadata, const std::string& selector) {
    return "{apiVersion: v1, kind: Service, metadata: " + metadata +
           ", spec: {selector: " + selector + "}}";
}

}  // namespace

TEST_CASE("kube objects: pods of a Service spread by the defaults of the system", "[cli][kube]") {
    const auto [what, objects, pods, expected] =
        GENERATE(table<std::string, std::string, std::string, std::map<std::string, int>>({
            {"without objects", "[]", "labels: {app: web}", {{"zone-1", 4}}},
            {"a Service",
             "[" + service("{name: web}", "{app: web}") + "]",
             "labels: {app: web}",
             {{"zone-0", 2}, {"zone-1", 2}}},
            {"one object, and not a list",
             service("{name: web, namespace: default}", "{app: web}"),
             "labels: {app: web}",
             {{"zone-0", 2}, {"zone-1", 2}}},
            {"a Service of others",
             "[" + service("{name: db}", "{app: db}") + "]",
             "labels: {app: web}",
             {{"zone-1", 4}}},
            {"a Service in another namespace",
             "[" + service("{name: web}", "{app: web}") + "]",
             "labels: {app: web}, namespace: shop",
             {{"zone-1", 4}}},
            {"and in the same one",
             "{kind: List, items: [" + service("{name: w, namespace: shop}", "{app: web}") + "]}",
             "labels: {app: web}, namespace: shop",
             {{"zone-0", 2}, {"zone-1", 2}}},
        }));
    CAPTURE(what);
    const Folder folder;

    (void)run(folder,
              background + ("    - pods: [{name: a, type: one, count: 4, " + pods + "}]\n"),
              objects);

    CHECK(zones_of(folder, "a") == expected);
}

TEST_CASE("kube objects: they come from files, which a run keeps", "[cli][kube]") {
    const Folder folder;
    folder.write("cluster.yaml",
                 "kind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: n}}\n"
                 "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}\n"
                 "---\n" +
                     service("{name: w, annotations: {a: b}}", "{app: web}") + "\n---\n");
    const std::string pods = "    - pods: [{name: a, type: one, count: 4, labels: {app: web}}]\n";

    const std::string warnings = run(folder, background + pods, "cluster.yaml");

    CHECK(warnings.find("objects of which decisions do not depend here (1 ConfigMap)") !=
          std::string::npos);
    CHECK(zones_of(folder, "a") == std::map<std::string, int>{{"zone-0", 2}, {"zone-1", 2}});
    const std::string kept = folder.read("out/run/experiment.yaml");
    CHECK(kept.find("Service") != std::string::npos);
    CHECK(kept.find("annotations") == std::string::npos);
    CHECK(folder.berth({"verify", "out/run"}).status == 0);
}

TEST_CASE("kube objects: pods of a ReplicaSet spread, as its selector says", "[cli][kube]") {
    const auto [what, selector, expected] =
        GENERATE(table<std::string, std::string, std::map<std::string, int>>({
            {"its own", "{matchLabels: {app: web}}", {{"zone-0", 2}, {"zone-1", 2}}},
            {"by an expression",
             "{matchExpressions: [{key: app, operator: In, values: [web, db]}]}",
             {{"zone-0", 2}, {"zone-1", 2}}},
            {"of other pods", "{matchLabels: {app: db}}", {{"zone-1", 4}}},
        }));
    CAPTURE(what);
    const Folder folder;
    std::string pods;
    for (const char* name : {"a-0", "a-1", "a-2", "a-3"}) {
        pods += std::string("{kind: Pod, metadata: {name: ") + name +
                ", labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, "
                "name: a, controller: true}]}, spec: {containers: [{resources: {requests: {cpu: "
                "1}}}]}}, ";
    }

    (void)run(folder,
              background + ("    - running: {pending: true, document: {kind: List, items: [" +
                            pods + "]}}\n"),
              "[{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a}, spec: {replicas: 4, "
              "selector: " +
                  selector + "}}]");

    CHECK(zones_of(folder, "a") == expected);
}

TEST_CASE("kube objects: terms select namespaces by their labels", "[cli][kube]") {
    const std::string labelled = "[{kind: Namespace, metadata: {name: data, labels: {team: a}}}]";
    const auto [what, objects, selector, expected] =
        GENERATE_COPY(table<std::string, std::string, std::string, std::map<std::string, int>>({
            {"no Namespace", "[]", "{matchLabels: {team: a}}", {{"zone-0", 2}, {"zone-1", 2}}},
            {"a label of it", labelled, "{matchLabels: {team: a}}", {{"zone-1", 4}}},
            {"its name, which is a label of each",
             labelled,
             "{matchLabels: {kubernetes.io/metadata.name: data}}",
             {{"zone-1", 4}}},
            {"another label", labelled, "{matchLabels: {team: b}}", {{"zone-0", 2}, {"zone-1", 2}}},
        }));
    CAPTURE(what);
    const Folder folder;

    (void)run(folder,
              "    - pods:\n"
              "        - {name: db, type: one, namespace: data, labels: {app: db}, nodeSelector: "
              "{kubernetes.io/hostname: server-0}}\n"
              "        - {name: a, type: one, count: 4, at: 1s, affinity: {podAntiAffinity: "
              "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
              "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: db}}, "
              "namespaceSelector: " +
                  selector + "}]}}}\n",
              objects);

    CHECK(zones_of(folder, "a") == expected);
}

TEST_CASE("kube objects: preemption minds budgets, which follow the run", "[cli][kube]") {
    // Two pods of each name hold the four GPUs. One after the other, four pods of a higher priority
    // come. Of equally good nodes, the first ones are those of `web`.
    const auto [what,
                budget,
                expected] = GENERATE(table<std::string, std::string, std::vector<std::string>>({
        {"no budget", "", {"web", "web", "batch", "batch"}},
        {"both must stay", "minAvailable: 2", {"batch", "batch", "web", "web"}},
        {"one must stay", "minAvailable: 1", {"web", "batch", "batch", "web"}},
        {"all may go", "minAvailable: 0", {"web", "web", "batch", "batch"}},
        {"a half of two may be gone", "maxUnavailable: 50%", {"web", "batch", "batch", "web"}},
        {"a half, rounded up, must stay", "minAvailable: 25%", {"web", "batch", "batch", "web"}},
        {"none may be gone", "maxUnavailable: 0", {"batch", "batch", "web", "web"}},
        {"nothing stated",
         "unhealthyPodEvictionPolicy: AlwaysAllow",
         {"batch", "batch", "web", "web"}},
    }));
    CAPTURE(what);
    const Folder folder;
    const std::string objects =
        budget.empty() ? "[]"
                       : "[{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, "
                         "spec: {selector: {matchLabels: {app: web}}, " +
                             budget + "}}]";

    (void)run(folder,
              "    - pods:\n"
              "        - {name: web, type: gpu, count: 2, labels: {app: web}}\n"
              "        - {name: batch, type: gpu, count: 2, labels: {app: batch}}\n"
              "        - {name: high-1, type: gpu, priority: 1, at: 1m}\n"
              "        - {name: high-2, type: gpu, priority: 1, at: 2m}\n"
              "        - {name: high-3, type: gpu, priority: 1, at: 3m}\n"
              "        - {name: high-4, type: gpu, priority: 1, at: 4m}\n",
              objects);

    CHECK(victims_of(folder) == expected);
}

TEST_CASE("kube objects: what is expected of a budget are the replicas of controllers",
          "[cli][kube]") {
    // Half of the replicas must stay: of two pods, one may go if the ReplicaSet wants two, and none
    // if it wants four.
    const auto [replicas, victim] =
        GENERATE(table<std::string, std::string>({{"2", "web"}, {"4", "batch"}}));
    CAPTURE(replicas);
    const Folder folder;
    const auto pod = [](const std::string& name, const std::string& node, const std::string& of) {
        return "{kind: Pod, metadata: {name: " + name + "-" + node + ", labels: {app: " + name +
               "}, ownerReferences: [" + of + "]}, spec: {nodeName: " + node +
               ", containers: [{resources: {requests: {nvidia.com/gpu: 1}}}]}}, ";
    };
    const std::string set = "{apiVersion: apps/v1, kind: ReplicaSet, name: web, controller: true}";

    (void)run(folder,
              "    - running: {document: {kind: List, items: [" + pod("web", "server-0", set) +
                  pod("web", "server-1", set) + pod("batch", "server-2", "") +
                  pod("batch", "server-3", "") +
                  "]}}\n    - pods: [{name: high, type: gpu, priority: 1, at: 1m}]\n",
              "[{kind: ReplicaSet, metadata: {name: web}, spec: {replicas: " + replicas +
                  ", selector: {matchLabels: {app: web}}}}, {kind: PodDisruptionBudget, metadata: "
                  "{name: b}, spec: {maxUnavailable: 50%, selector: {matchLabels: {app: web}}}}]");

    CHECK(victims_of(folder) == std::vector{victim});
}

TEST_CASE("kube objects: wrong ones are refused in one line", "[cli][kube][bad-input]") {
    const std::string budget = "{kind: PodDisruptionBudget, metadata: {name: b}, spec: ";
    const auto [objects, expected] = GENERATE_COPY(table<std::string, std::string>({
        {"[{metadata: {name: a}}]", "expected an object with a kind"},
        {"[{kind: 3}]", "expected the kind of an object, such as Service"},
        {"[{kind: Service, spec: {selector: {a: b}}}]", "no metadata.name: expected one"},
        {"[{kind: Service, metadata: {name: a}}, {kind: Service, metadata: {name: a}}]",
         "metadata.name is \"a\": expected a name that no other Service has in this namespace"},
        {"[{kind: Namespace, metadata: {name: a}}, {kind: Namespace, metadata: {name: a}}]",
         "metadata.name is \"a\": expected a name that no other Namespace has"},
        {"[{kind: ReplicaSet, metadata: {name: a}, spec: {replicas: -1}}]",
         "spec.replicas is \"-1\": expected a whole number from 0"},
        {"[{kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: 'b c'}}}}]",
         "expected a selector of labels"},
        {"[" + budget + "{minAvailable: half}}]",
         "spec.minAvailable is \"half\": expected a number of pods, or a percentage such as 30%"},
        {"[" + budget + "{minAvailable: 101%}}]", "expected a number of pods, or a percentage"},
        {"[" + budget + "{minAvailable: 1, maxUnavailable: 1}}]",
         "spec.maxUnavailable is \"1\": expected no maxUnavailable beside minAvailable"},
        {"nodes.yaml", "found no object in nodes.yaml that counts: expected those that `kubectl"},
        {"missing.yaml", "missing.yaml"},
    }));
    CAPTURE(objects);
    const Folder folder;
    folder.write("nodes.yaml", "{kind: Node, metadata: {name: n}}\n");
    folder.write("run.yaml", experiment("    - pods: [{type: one}]\n", objects));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CHECK(answer.status == 2);
    CAPTURE(answer.err);
    CHECK(answer.err.find(expected) != std::string::npos);
}
