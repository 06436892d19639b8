// In runs that kube-scheduler decides, what an API server or kube-scheduler refuses is refused, and
// is not lost without a word.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// There are two servers. `source` is one of the workload.
std::string experiment(const std::string& source, const std::string& scheduler = "{kube: {}}") {
    return R"(kind: Experiment
metadata: {name: run}
spec:
  topology:
    spec:
      levels: [{name: zone, count: 2}, {name: server, count: 1}]
      machines: [{type: m}]
      machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 1}}}
  types: {one: {cpu: 1}, gpu: {nvidia.com/gpu: 1}}
  workload: [{)" +
           source + "}]\n  scheduler: " + scheduler + "\n  until: 1h\n";
}

/// Checks that an experiment is refused by one message.
void check_refused(const std::string& text, const std::string& message) {
    const Folder folder;
    folder.write("run.yaml", text);
    const Answer answer = folder.berth({"validate", "run.yaml"});
    CAPTURE(text, answer.err);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains("error: " + message));
    CHECK(answer.err.find("error: ") == answer.err.rfind("error: "));
}

/// Runs an experiment, which must be sound. Returns: its warnings.
std::string run(const Folder& folder, const std::string& text) {
    folder.write("run.yaml", text);
    const Answer answer = folder.berth({"run", "run.yaml", "-o", "out/run", "--check-invariants"});
    CAPTURE(text, answer.err);
    REQUIRE(answer.status == 0);
    return answer.err;
}

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* preferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::string affinity(const std::string& kind, const char* strength, const std::string& terms) {
    return "affinity: {" + kind + ": {" + strength + ": [" + terms + "]}}";
}

std::string spread(const std::string& more, const std::string& otherwise = "DoNotSchedule") {
    return "{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: " +
           otherwise + more + "}";
}

/// A file with an object of two pods. `of_object` and `of_pods` are in its spec and in theirs.
void write_object(const Folder& folder,
                  const std::string& kind,
                  const std::string& of_object,
                  const std::string& of_pods) {
    folder.write("object.yaml",
                 "{apiVersion: v1, kind: " + kind + ", metadata: {name: a}, spec: {replicas: 2, " +
                     "parallelism: 2, " + of_object + "template: {metadata: {labels: {app: a}}, " +
                     "spec: {" + of_pods +
                     "containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}}\n");
}

}  // namespace

TEST_CASE("kube strict: what pods say about other pods", "[cli][kube][bad-input]") {
    const std::string term = "{topologyKey: zone}";
    const auto [says, message] = GENERATE_COPY(table<std::string, std::string>({
        {"affinity: {podAntiAffinity: {requiredDuringScheduling: []}}",
         "unknown key 'requiredDuringScheduling' in podAntiAffinity: expected "
         "requiredDuringSchedulingIgnoredDuringExecution or "},
        {"affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}",
         "found an empty map: expected a list, of which each entry is a term"},
        {affinity("podAffinity", required, "{podAffinityTerm: " + term + "}"),
         "unknown key 'podAffinityTerm' in a term of affinity between pods: expected topologyKey"},
        {affinity("podAffinity", preferred, "{weight: 1, topologyKey: zone}"),
         "unknown key 'topologyKey' in a preferred term: expected weight or podAffinityTerm"},
        {affinity("podAffinity", preferred, "{weight: 1}"),
         "a preferred term has no 'podAffinityTerm': expected one"},
        {affinity("podAffinity", preferred, "{podAffinityTerm: " + term + "}"),
         "a preferred term has no 'weight': expected one"},
        {affinity("podAffinity", preferred, "{weight: 0, podAffinityTerm: " + term + "}"),
         "found '0': expected a whole number from 1 to 100"},
        {affinity("podAntiAffinity", preferred, "{weight: 101, podAffinityTerm: " + term + "}"),
         "found '101': expected a whole number from 1 to 100"},
        {affinity("podAntiAffinity", required, "{labelSelector: {}}"),
         "a term of affinity between pods has no 'topologyKey': expected one"},
        {affinity("podAntiAffinity", required, "{topologyKey: zone, labelSelektor: {}}"),
         "unknown key 'labelSelektor' in a term of affinity between pods: expected "},
        {affinity("podAffinity", required, "{topologyKey: zone, labelSelector: {app: web}}"),
         "unknown key 'app' in a selector of labels: expected matchLabels or matchExpressions"},
        {affinity("podAffinity",
                  required,
                  "{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: In, "
                  "value: [b]}]}}"),
         "unknown key 'value' in a condition: expected key, operator or values"},
        {affinity("podAffinity", required, "{topologyKey: zone, namespaceSelector: {a: b}}"),
         "unknown key 'a' in a selector of labels"},
        {affinity("nodeAffinity", preferred, "{weight: 1, preferense: {}}"),
         "unknown key 'preferense' in a preferred term: expected weight or preference"},
        {affinity("nodeAffinity", preferred, "{weight: 1, preference: {matchLabels: {a: b}}}"),
         "unknown key 'matchLabels' in a term: expected matchExpressions or matchFields"},
    }));
    for (const std::string source :
         {"pods: [{type: one, ",
          "generate: {arrivals: 1m, service: 1h, count: 5, type: one, ",
          "generate: {arrivals: 1m, service: 1h, count: 5, mix: [{type: one, ",
          "groups: [{document: {kind: GroupPlacement, spec: {group: {name: g, size: 1, type: "
          "one}}}, "}) {
        const bool is_list = source.find('[') != std::string::npos;
        const bool is_mix = source.find("mix") != std::string::npos;
        check_refused(experiment(source + says + (is_mix ? "}]}" : is_list ? "}]" : "}")), message);
    }
}

TEST_CASE("kube strict: how pods spread", "[cli][kube][bad-input]") {
    const auto [constraints, message] = GENERATE(table<std::string, std::string>({
        {spread(", labelSelektor: {}"),
         "unknown key 'labelSelektor' in an entry of topologySpreadConstraints: expected maxSkew"},
        {spread(", labelSelector: {matchLabel: {a: b}}"),
         "unknown key 'matchLabel' in a selector of labels"},
        {"{maxSkew: 1, topologyKey: zone}",
         "an entry of topologySpreadConstraints has no 'whenUnsatisfiable': expected one"},
        {spread(", minDomains: 2", "ScheduleAnyway"),
         "found '2': expected minDomains beside whenUnsatisfiable: DoNotSchedule alone"},
        {spread("") + ", " + spread(", minDomains: 2"),
         "a second constraint with topologyKey topology.kubernetes.io/zone and whenUnsatisfiable "
         "DoNotSchedule"},
    }));
    check_refused(
        experiment("pods: [{type: one, topologySpreadConstraints: [" + constraints + "]}]"),
        message);
}

TEST_CASE("kube strict: what is sound, or null, is read", "[cli][kube]") {
    const std::string term =
        "{topologyKey: topology.kubernetes.io/zone, namespaces: [a], namespaceSelector: {}, "
        "matchLabelKeys: [app], "
        "mismatchLabelKeys: [b], labelSelector: {matchLabels: {app: web}, matchExpressions: [{key: "
        "c, operator: DoesNotExist}]}}";
    const Folder folder;
    (void)run(folder,
              experiment("pods: [{type: one, labels: {app: web}, topologySpreadConstraints: [" +
                         spread(", minDomains: 2, nodeTaintsPolicy: Honor, nodeAffinityPolicy: "
                                "Ignore, matchLabelKeys: [app], labelSelector: null") +
                         ", " + spread("", "ScheduleAnyway") +
                         "], affinity: {podAffinity: null, podAntiAffinity: {" + required + ": [" +
                         term + "], " + preferred + ": [{weight: 100, podAffinityTerm: " + term +
                         "}]}, nodeAffinity: {" + preferred +
                         ": [{weight: 1, preference: {matchFields: [{key: metadata.name, "
                         "operator: In, values: [server-0]}]}}]}}}]"));
    CHECK(csv_rows(folder.read("out/run/pods.csv")).front().at("start_s") == "0");
}

TEST_CASE("kube strict: the configuration of kube-scheduler", "[cli][kube][bad-input]") {
    const std::string args = "profiles: [{pluginConfig: [{name: ";
    const auto [says, message] = GENERATE_COPY(table<std::string, std::string>({
        {"profiles: [{name: a}]", "unknown key 'name' in a profile: expected schedulerName"},
        {"profiles: [{plugins: {scores: {}}}]", "unknown key 'scores' in plugins: expected "},
        {"profiles: [{plugins: {score: {enable: []}}}]",
         "unknown key 'enable' in plugins of an extension point: expected enabled or disabled"},
        {"profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, wight: 9}]}}}]",
         "unknown key 'wight' in a plugin: expected name or weight"},
        {args + "NodeResourcesFit, arg: {}}]}]",
         "unknown key 'arg' in an entry of pluginConfig: expected name or args"},
        {args + "NodeResourcesFit, args: {scoringStrategie: {}}}]}]",
         "unknown key 'scoringStrategie' in the args of NodeResourcesFit: expected "},
        {args + "NodeResourcesFit, args: {scoringStrategy: {kind: MostAllocated}}}]}]",
         "unknown key 'kind' in scoringStrategy: expected type"},
        {args +
             "NodeResourcesFit, args: {scoringStrategy: {resources: [{name: cpu, wight: 9}]}}}]}]",
         "unknown key 'wight' in a resource: expected name or weight"},
        {args + "NodeResourcesFit, args: {scoringStrategy: {requestedToCapacityRatio: {shape: "
                "[{utilisation: 0}]}}}}]}]",
         "unknown key 'utilisation' in a point of a shape: expected utilization or score"},
        {args + "NodeResourcesBalancedAllocation, args: {resource: []}}]}]",
         "unknown key 'resource' in the args of NodeResourcesBalancedAllocation: expected "},
        {args + "InterPodAffinity, args: {hardPodAffinityWeigth: 9}}]}]",
         "unknown key 'hardPodAffinityWeigth' in the args of InterPodAffinity: expected "},
        {args + "NodeAffinity, args: {affinity: {}}}]}]",
         "unknown key 'affinity' in the args of NodeAffinity: expected "},
        {args + "NodeAffinity, args: {addedAffinity: {required: {}}}}]}]",
         "unknown key 'required' in nodeAffinity: expected "},
        {args + "DefaultPreemption, args: {minCandidateNodes: 9}}]}]",
         "unknown key 'minCandidateNodes' in the args of DefaultPreemption: expected "},
        {args + "VolumeBinding, args: {timeout: 9}}]}]",
         "unknown key 'timeout' in the args of VolumeBinding: expected "},
        {args + "DynamicResources, args: {timeout: 9}}]}]",
         "unknown key 'timeout' in the args of DynamicResources: expected "},
        {args + "PodTopologySpread, args: {defaultConstraint: []}}]}]",
         "unknown key 'defaultConstraint' in the args of PodTopologySpread: expected "},
        {args + "PodTopologySpread, args: {defaultConstraints: [" + spread("") + "]}}]}]",
         "found a list: expected defaultConstraints beside defaultingType: List alone"},
        {args + "PodTopologySpread, args: {defaultingType: List, defaultConstraints: [" +
             spread(", labelSelector: {}") + "]}}]}]",
         "found an empty map: expected no labelSelector in defaultConstraints"},
        {"podInitialBackoffSeconds: 11",
         "podInitialBackoffSeconds is \"11\": expected at most 10, or podMaxBackoffSeconds"},
    }));
    check_refused(experiment("pods: [{type: one}]",
                             "{kube: {config: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                             "KubeSchedulerConfiguration, " +
                                 says + "}}}"),
                  message);
}

TEST_CASE("kube strict: arguments with apiVersion and kind are read", "[cli][kube]") {
    const std::string version = ", args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: ";
    std::string entries;
    for (const std::string plugin : {"DefaultPreemption",
                                     "DynamicResources",
                                     "InterPodAffinity",
                                     "NodeAffinity",
                                     "NodeResourcesBalancedAllocation",
                                     "NodeResourcesFit",
                                     "PodTopologySpread",
                                     "VolumeBinding"}) {
        entries += "{name: " + plugin + version + plugin + "Args}}, ";
    }
    const Folder folder;
    (void)run(folder,
              experiment("pods: [{type: one}]",
                         "{kube: {config: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                         "KubeSchedulerConfiguration, profiles: [{schedulerName: a, "
                         "percentageOfNodesToScore: 100, pluginConfig: [" +
                             entries + "], plugins: {multiPoint: {}, placementScore: {}}}]}}}"));
}

TEST_CASE("kube strict: other objects of the cluster", "[cli][kube][bad-input]") {
    const auto [object, message] = GENERATE(table<std::string, std::string>({
        {"kind: PriorityClass, metadata: {name: a}, value: 1, preemptionPolicy: never",
         "preemptionPolicy is \"never\": expected "},
        {"kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 1, selector: "
         "{matchLabel: {a: b}}}",
         "unknown key 'matchLabel' in a selector of labels: expected matchLabels"},
        {"kind: ReplicaSet, metadata: {name: a}, spec: {selector: {a: b}}",
         "unknown key 'a' in a selector of labels: expected matchLabels"},
    }));
    check_refused(experiment("pods: [{type: one}]", "{kube: {objects: [{" + object + "}]}}"),
                  message);
}

TEST_CASE("kube strict: of several default classes, the lowest counts", "[cli][kube]") {
    const Folder folder;
    const std::string pods =
        "pods: [{document: {kind: Job, metadata: {name: a}, spec: {template: {spec: {containers: "
        "[{name: c, resources: {requests: {cpu: 1}}}]}}}}}]";
    (void)run(folder,
              experiment(pods,
                         "{kube: {objects: [{kind: PriorityClass, metadata: {name: a}, value: 9, "
                         "globalDefault: true}, {kind: PriorityClass, metadata: {name: b}, value: "
                         "3, globalDefault: true}]}}"));
    CHECK(csv_rows(folder.read("out/run/pods.csv")).front().at("priority") == "3");
}

TEST_CASE("kube strict: a budget that allows nothing is named", "[cli][kube]") {
    const auto [spec, warns] = GENERATE(table<std::string, bool>(
        {{"minAvailabel: 1", true}, {"maxUnavailable: null", true}, {"minAvailable: 1", false}}));
    const Folder folder;
    folder.write("cluster.yaml",
                 "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: "
                 "{selector: {}, " +
                     spec + "}}\n");
    const std::string warnings =
        run(folder, experiment("pods: [{type: one}]", "{kube: {objects: cluster.yaml}}"));
    CAPTURE(warnings);
    CHECK((warnings.find("the PodDisruptionBudget web states neither minAvailable nor "
                         "maxUnavailable") != std::string::npos) == warns);
}

TEST_CASE("kube strict: no pod of an object runs beyond its deadline", "[cli][kube]") {
    const std::string minute = "activeDeadlineSeconds: 60, ";
    const std::string hour = "activeDeadlineSeconds: 3600, ";
    const auto [kind, of_object, of_pods, lifetime, finish] =
        GENERATE_COPY(table<std::string, std::string, std::string, std::string, std::string>({
            {"Deployment", "", minute, "", "60"},
            {"Deployment", "", minute, ", lifetime: 30s", "30"},
            {"Deployment", minute, "", ", lifetime: 90s", "90"},
            {"Job", "", minute, ", lifetime: 90s", "60"},
            {"Job", minute, "", "", "60"},
            {"Job", minute, hour, "", "60"},
            {"Job", hour, minute, "", "60"},
            {"Job", "activeDeadlineSeconds: null, ", "", ", lifetime: 90s", "90"},
        }));
    const Folder folder;
    write_object(folder, kind, of_object, of_pods);
    (void)run(folder, experiment("pods: [{file: object.yaml" + lifetime + "}]"));
    const auto pods = csv_rows(folder.read("out/run/pods.csv"));
    REQUIRE(pods.size() == 2);
    CHECK(pods[1].at("finish_s") == finish);
}

TEST_CASE("kube strict: pods of an object go through the scheduler", "[cli][kube][bad-input]") {
    const auto [of_pods, message] = GENERATE(table<std::string, std::string>({
        {"nodeName: server-0, ",
         "nodeName in a template takes its pods past the scheduler: expected nodeSelector"},
        {"schedulingGates: [{name: a.b/c}], ",
         "schedulingGates in a template: no controller removes them in a run, and its pods would "
         "never "
         "be scheduled: expected a template without gates"},
        {"activeDeadlineSeconds: 0, ", "found '0': expected a whole number from 1"},
    }));
    const Folder folder;
    write_object(folder, "Deployment", "", of_pods);
    folder.write("run.yaml", experiment("pods: [{file: object.yaml}]"));
    const Answer answer = folder.berth({"validate", "run.yaml"});
    CAPTURE(of_pods, answer.err);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains("error: " + message));
}

TEST_CASE("kube strict: no gates, and a node without a name, are none", "[cli][kube]") {
    const Folder folder;
    write_object(folder, "Deployment", "", "nodeName: null, schedulingGates: [], ");
    (void)run(folder, experiment("pods: [{file: object.yaml}]"));
}

TEST_CASE("kube strict: pods of an object in a file may not preempt", "[cli][kube]") {
    const auto [of_pods, outcome] = GENERATE(table<std::string, std::string>(
        {{"preemptionPolicy: Never, ", "waiting"}, {"", "running"}}));
    const Folder folder;
    write_object(folder, "Deployment", "", of_pods);
    (void)run(folder,
              experiment("pods: [{type: one, count: 16}, {file: object.yaml, at: 1m, priority: "
                         "1}]"));
    CHECK(csv_rows(folder.read("out/run/pods.csv")).back().at("outcome") == outcome);
}
