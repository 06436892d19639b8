// Runs in which kube-scheduler schedules gangs: PodGroups whose pods start together.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

/// The Node objects n0, n1, ... with so many GPUs each.
std::string nodes_with(const std::vector<int>& gpus) {
    std::string items;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const std::string name = "n" + std::to_string(i);
        items += std::string(i == 0 ? "" : ", ") + R"({"apiVersion": "v1", "kind": "Node", )" +
                 R"("metadata": {"name": ")" + name +
                 R"(", "labels": {"kubernetes.io/hostname": ")" + name +
                 R"("}}, "status": {"allocatable": {"cpu": "64", "pods": "9", )" +
                 R"("nvidia.com/gpu": ")" + std::to_string(gpus[i]) + R"("}}})";
    }
    return R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}";
}

/// `workload` has sources, and `kube` what the key says. Pods of N GPUs have the type gpuN, and ask
/// for N CPUs, too.
std::string experiment(const std::string& workload, const std::string& kube) {
    return "kind: Experiment\nmetadata: {name: kube}\nspec:\n"
           "  topology: {nodes: {format: kubernetes, file: nodes.json}}\n"
           "  types: {gpu1: {cpu: 1, nvidia.com/gpu: 1}, gpu2: {cpu: 2, nvidia.com/gpu: 2}, "
           "gpu4: {cpu: 4, nvidia.com/gpu: 4}}\n"
           "  workload: [" +
           workload + "]\n  scheduler: {kube: " + kube + "}\n  until: 5m\n";
}

/// A PodGroup `g`, to which pods belong that say `in_g`.
std::string group(const std::string& policy, const std::string& more = "") {
    return "podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: " + policy + more + "}}]";
}
const std::string in_g = "schedulingGroup: {podGroupName: g}";

/// Runs an experiment, which must be sound. Returns: its warnings.
std::string run(const Folder& folder, const std::string& nodes, const std::string& text) {
    folder.write("nodes.json", nodes);
    return run_sound(folder, text);
}

/// The pods that run at the end, and their nodes.
std::map<std::string, std::string> places(const Folder& folder) {
    std::map<std::string, std::string> found;
    for (const CsvRow& pod : pods_of(folder)) {
        if (!pod.at("start_s").empty()) {
            found.emplace(pod.at("pod"), pod.at("node"));
        }
    }
    return found;
}

std::string all_of(int min_count) {
    return "{gang: {minCount: " + std::to_string(min_count) + "}}";
}

}  // namespace

TEST_CASE("kube gangs: pods are tried one by one in their order", "[cli][kube]") {
    using Places = std::map<std::string, std::string>;
    const std::string four_of =
        "groups: [{document: {kind: GroupPlacement, spec: {group: {name: a, "
        "size: 4, type: gpu1, minAvailable: ";
    const auto [what, gpus, workload, gangs, expected] =
        GENERATE_COPY(table<std::string, std::vector<int>, std::string, std::string, Places>({
            {"three of four are enough",
             {3},
             four_of + "3}}}}]",
             "",
             {{"a-0", "n0"}, {"a-1", "n0"}, {"a-2", "n0"}}},
            {"three places are not enough for four", {3}, four_of + "4}}}}]", "", {}},
            {"a pod that does not fit is passed over",
             {2},
             "pods: [{name: a, type: gpu4, " + in_g + "}, {name: b, type: gpu1, count: 2, " + in_g +
                 "}]",
             group(all_of(1)),
             {{"b-0", "n0"}, {"b-1", "n0"}}},
            {"large before small",
             {4, 2},
             "pods: [{name: a, type: gpu4, " + in_g + "}, {name: b, type: gpu2, " + in_g + "}]",
             group(all_of(2)),
             {{"a", "n0"}, {"b", "n1"}}},
            {"small before large: no other order is tried",
             {4, 2},
             "pods: [{name: b, type: gpu2, " + in_g + "}, {name: a, type: gpu4, " + in_g + "}]",
             group(all_of(2)),
             {}},
            {"the pod of the higher priority comes first",
             {4, 2},
             "pods: [{name: b, type: gpu2, " + in_g + "}, {name: a, type: gpu4, priority: 1, " +
                 in_g + "}]",
             group(all_of(2)),
             {{"a", "n0"}, {"b", "n1"}}},
            {"a free pod takes the place of one that may go nowhere else",
             {2, 2},
             "pods: [{name: a, type: gpu2, " + in_g +
                 "}, {name: b, type: gpu2, nodeSelector: {kubernetes.io/hostname: n0}, " + in_g +
                 "}]",
             group(all_of(2)),
             {}},
            {"without a gang, each starts that can",
             {2, 2},
             "pods: [{name: a, type: gpu2, " + in_g +
                 "}, {name: b, type: gpu2, nodeSelector: {kubernetes.io/hostname: n0}, " + in_g +
                 "}]",
             group("{basic: {}}"),
             {{"a", "n0"}}},
        }));
    CAPTURE(what);
    const Folder folder;

    (void)run(
        folder, nodes_with(gpus), experiment("{" + workload + "}", "{gangs: {" + gangs + "}}"));

    CHECK(places(folder) == expected);
}

TEST_CASE("kube gangs: how gangs preempt", "[cli][kube]") {
    const std::string low = "{pods: [{name: low, type: gpu1, count: 2}]}, ";
    const auto [what, second, gangs, evictions, starts] =
        GENERATE_COPY(table<std::string, std::string, std::string, int, bool>({
            {"pod by pod, in vain: each time, a pod stops for the first of the gang",
             "gpu4",
             group(all_of(2)),
             -1,
             false},
            {"as a whole: nobody stops in vain",
             "gpu4",
             "workloadAwarePreemption: true, " + group(all_of(2), ", priority: 100"),
             0,
             false},
            {"as a whole: both stop, each once",
             "gpu1",
             "workloadAwarePreemption: true, " + group(all_of(2), ", priority: 100"),
             2,
             true},
            {"the priority of a group is not that of its pods",
             "gpu1",
             "workloadAwarePreemption: true, " + group(all_of(2)),
             0,
             false},
            {"pod by pod, with success", "gpu1", group(all_of(2)), 2, true},
        }));
    CAPTURE(what);
    const Folder folder;
    (void)run(
        folder,
        nodes_with({1, 1}),
        experiment(low + "{pods: [{name: a, type: gpu1, at: 1m, priority: 100, " + in_g +
                       "}, {name: b, type: " + second + ", at: 1m, priority: 100, " + in_g + "}]}",
                   "{gangs: {" + gangs + "}}"));

    const auto stopped = csv_rows(folder.read("out/run/evictions.csv"));
    if (evictions < 0) {
        CHECK(stopped.size() > 2);
    } else {
        CHECK(stopped.size() == static_cast<std::size_t>(evictions));
    }
    CHECK(places(folder).contains("a") == starts);
    CHECK(places(folder).contains("b") == starts);
}

TEST_CASE("kube gangs: in 1.37 they preempt as a whole", "[cli][kube]") {
    const auto [second, evictions] = GENERATE(table<std::string, std::size_t>({
        {"gpu4", 0},
        {"gpu1", 2},
    }));
    CAPTURE(second);
    const Folder folder;
    (void)run(folder,
              nodes_with({1, 1}),
              experiment("{pods: [{name: low, type: gpu1, count: 2}]}, {pods: [{name: a, type: "
                         "gpu1, at: 1m, " +
                             in_g + "}, {name: b, type: " + second + ", at: 1m, " + in_g + "}]}",
                         "{version: '1.37', gangs: {" + group(all_of(2), ", priority: 1") + "}}"));

    CHECK(csv_rows(folder.read("out/run/evictions.csv")).size() == evictions);
    CHECK(places(folder).contains("b") == (evictions > 0));
}

TEST_CASE("kube gangs: in 1.37 without workload-aware preemption, nobody is preempted",
          "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({1, 1}),
              experiment("{pods: [{name: low, type: gpu1, count: 2}]}, {pods: [{name: a, type: "
                         "gpu1, count: 2, at: 1m, priority: 100, " +
                             in_g + "}]}",
                         "{version: '1.37', gangs: {workloadAwarePreemption: false, " +
                             group(all_of(2), ", priority: 100") + "}}"));

    CHECK(csv_rows(folder.read("out/run/evictions.csv")).empty());
    CHECK_FALSE(places(folder).contains("a-0"));
}

TEST_CASE("kube gangs: in 1.37 nodes are kept for those for whom others left", "[cli][kube]") {
    const std::string late = "{pods: [{name: c, type: gpu1, at: 1m}]}";
    const Folder folder;
    (void)run(
        folder,
        nodes_with({1, 1}),
        experiment("{pods: [{name: low, type: gpu1, count: 2, priority: -1}]}, {pods: [{name: "
                   "a, type: gpu1, count: 2, at: 1m, " +
                       in_g + "}]}, " + late,
                   "{version: '1.37', gangs: {" + group(all_of(2), ", priority: 1") + "}}"));

    CHECK(places(folder).contains("a-0"));
    CHECK_FALSE(places(folder).contains("c"));
}

TEST_CASE("kube gangs: pods that leave together", "[cli][kube]") {
    const auto [mode, evictions] = GENERATE(table<std::string, std::size_t>({
        {"Pod", 1},
        {"PodGroup", 2},
    }));
    CAPTURE(mode);
    const Folder folder;
    (void)run(
        folder,
        nodes_with({1, 1}),
        experiment("{pods: [{name: low, type: gpu1, count: 2, schedulingGroup: {podGroupName: "
                   "h}}]}, {pods: [{name: a, type: gpu1, at: 1m, " +
                       in_g + "}]}",
                   "{gangs: {workloadAwarePreemption: true, podGroups: [{metadata: {name: g}, "
                   "spec: {schedulingPolicy: {basic: {}}, priority: 1}}, {metadata: {name: h}, "
                   "spec: {schedulingPolicy: {basic: {}}, disruptionMode: " +
                       mode + "}}]}}"));

    CHECK(csv_rows(folder.read("out/run/evictions.csv")).size() == evictions);
}

TEST_CASE("kube gangs: a group stays in one domain", "[cli][kube]") {
    using Places = std::map<std::string, std::string>;
    const std::string by_node =
        ", schedulingConstraints: {topology: [{key: kubernetes.io/hostname}]}";
    const auto [what, gpus, constraints, expected] =
        GENERATE_COPY(table<std::string, std::vector<int>, std::string, Places>({
            {"without a constraint, the pods spread",
             {4, 4},
             "",
             {{"x", "n0"}, {"a-0", "n1"}, {"a-1", "n0"}}},
            {"the domain of which more is in use then is better",
             {4, 4},
             by_node,
             {{"x", "n0"}, {"a-0", "n0"}, {"a-1", "n0"}}},
            {"the only domain with room for all",
             {2, 2},
             by_node,
             {{"x", "n0"}, {"a-0", "n1"}, {"a-1", "n1"}}},
            {"no domain has room for all", {2, 1}, by_node, {{"x", "n0"}}},
            {"no node has the label",
             {4, 4},
             ", schedulingConstraints: {topology: [{key: rack}]}",
             {{"x", "n0"}}},
        }));
    CAPTURE(what);
    const Folder folder;
    (void)run(folder,
              nodes_with(gpus),
              experiment("{pods: [{name: x, type: gpu1}]}, {pods: [{name: a, type: gpu1, count: 2, "
                         "at: 1m, " +
                             in_g + "}]}",
                         "{gangs: {" + group(all_of(2), constraints) + "}}"));

    CHECK(places(folder) == expected);
}

TEST_CASE("kube gangs: weights and resources of NodeResourcesFit say which domain is best",
          "[cli][kube]") {
    // Of three pods, two fit on n0, of whose GPUs all are in use then, and three on n1: 37 %. The
    // points for pods are 66 and 100, so that n1 is better unless the use of GPUs has more weight.
    const std::string one_gpu_counts =
        ", pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {resources: [{name: "
        "nvidia.com/gpu, weight: 3}]}}}]";
    const auto [weight, resources, node] = GENERATE_COPY(table<int, std::string, std::string>({
        {1, "", "n1"},
        {9, "", "n1"},  // of the CPUs, more are in use on n1
        {1, one_gpu_counts, "n0"},
    }));
    CAPTURE(weight, resources);
    const Folder folder;
    (void)run(
        folder,
        nodes_with({2, 8}),
        experiment("{pods: [{name: a, type: gpu1, count: 3, " + in_g + "}]}",
                   "{gangs: {" +
                       group(all_of(2),
                             ", schedulingConstraints: {topology: [{key: "
                             "kubernetes.io/hostname}]}") +
                       "}, config: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                       "KubeSchedulerConfiguration, profiles: [{plugins: {multiPoint: {enabled: "
                       "[{name: NodeResourcesFit, weight: " +
                       std::to_string(weight) + "}]}}" + resources + "}]}}"));

    CHECK(places(folder).at("a-0") == node);
}

TEST_CASE("kube gangs: why tells that no domain has room, and in how many the gang was tried",
          "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({2, 1}),
              experiment("{pods: [{name: a, type: gpu1, count: 3, " + in_g + "}]}",
                         "{gangs: {" +
                             group(all_of(3),
                                   ", schedulingConstraints: {topology: [{key: "
                                   "kubernetes.io/hostname}]}") +
                             "}}"));

    const Answer why = folder.berth({"why", "out/run", "a-2"});

    CAPTURE(why.out);
    CHECK(why.out.find("gang: 0/2 placements are available, first placement status: pod group is "
                       "unschedulable") != std::string::npos);
    const Answer json = folder.berth({"why", "out/run", "a-2", "--json"});
    CHECK(json.out.find("\"message\": \"0/2 placements are available") != std::string::npos);
}

TEST_CASE("kube gangs: pods that come later go to the domain of the others", "[cli][kube]") {
    const Folder folder;
    (void)run(
        folder,
        nodes_with({2, 4}),
        experiment("{pods: [{name: x, type: gpu1, lifetime: 2m}, {name: a, type: gpu1, at: 1m, " +
                       in_g + "}, {name: b, type: gpu2, at: 90s, " + in_g + "}]}",
                   "{gangs: {" +
                       group("{basic: {}}",
                             ", schedulingConstraints: {topology: [{key: "
                             "kubernetes.io/hostname}]}") +
                       "}}"));

    CHECK(places(folder).at("a") == "n0");
    CHECK_FALSE(places(folder).contains("b"));
    const Answer why = folder.berth({"why", "out/run", "b"});
    CAPTURE(why.out);
    CHECK(why.out.find("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.") !=
          std::string::npos);
}

TEST_CASE("kube gangs: pods that run already may be in several domains, or in none",
          "[cli][kube]") {
    const auto [nodes, message] = GENERATE(table<std::vector<std::string>, std::string>({
        {{"n0", "n1"}, "they are in a and b"},
        {{"n2"}, "node n2 has no label rack"},
    }));
    CAPTURE(message);
    std::string pods;
    for (const std::string& node : nodes) {
        pods += std::string(pods.empty() ? "" : ", ") +
                R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "on-)" + node +
                R"("}, "spec": {"nodeName": ")" + node +
                R"(", "schedulingGroup": {"podGroupName": "g"}, "containers": [{"name": "c", )" +
                R"("resources": {"requests": {"cpu": "1"}}}]}, "status": {"phase": "Running"}})";
    }
    const Folder folder;
    folder.write("pods.json", R"({"apiVersion": "v1", "kind": "List", "items": [)" + pods + "]}");
    std::string labelled = nodes_with({1, 1, 1});
    for (const char* label : {"a", "b"}) {
        const std::string name = label == std::string("a") ? "n0" : "n1";
        labelled = replaced(labelled,
                            R"("labels": {"kubernetes.io/hostname": ")" + name + R"("})",
                            R"("labels": {"rack": ")" + std::string(label) + R"("})");
    }
    (void)run(
        folder,
        labelled,
        experiment(
            "{running: {file: pods.json}}, {pods: [{name: a, type: gpu1, at: 1m, " + in_g + "}]}",
            "{gangs: {" +
                group("{basic: {}}", ", schedulingConstraints: {topology: [{key: rack}]}") + "}}"));

    const Answer why = folder.berth({"why", "out/run", "a"});

    CAPTURE(why.out);
    CHECK(why.out.find("cannot determine domain for already scheduled pods: " + message) !=
          std::string::npos);
    CHECK(why.out.find("a: not tried, since the cycle failed") != std::string::npos);
    CHECK(why.out.find("gang: its cycle failed") != std::string::npos);
}

TEST_CASE("kube gangs: a group waits for minCount pods", "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({4}),
              experiment("{pods: [{name: a, type: gpu1, " + in_g +
                             "}, {name: b, type: gpu1, at: 1m, " + in_g + "}]}",
                         "{gangs: {" + group(all_of(2)) + "}}"));

    for (const CsvRow& pod : pods_of(folder)) {
        CHECK(pod.at("start_s") == "60");
    }
}

TEST_CASE("kube gangs: a gang starts when others have left", "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({1, 1}),
              experiment("{pods: [{name: x, type: gpu1, lifetime: 1m}, {name: y, type: gpu1, "
                         "lifetime: 2m}]}, {groups: [{at: 1s, document: {kind: GroupPlacement, "
                         "spec: {group: {name: a, size: 2, type: gpu1}}}}]}",
                         "{gangs: {}}"));

    for (const CsvRow& pod : pods_of(folder)) {
        CHECK(pod.at("start_s") == (pod.at("pod").starts_with("a") ? "120" : "0"));
    }
}

TEST_CASE("kube gangs: what is not modelled is refused", "[cli][kube][bad-input]") {
    const auto [gangs, entry, expected] =
        GENERATE_COPY(table<std::string, std::string, std::string>({
            {"true", "", "gangs is 'true': expected a map"},
            {"{podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: {}}}]}",
             "",
             "expected {gang: {minCount: PODS}} or {basic: {}}"},
            {"{podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}, "
             "schedulingConstraints: {topology: [{key: zone}, {key: rack}]}}}]}",
             "",
             "expected one constraint, [{key: LABEL}]"},
            {"{podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}, "
             "schedulingConstraints: {topologies: []}}}]}",
             "",
             "unknown key 'topologies' in the schedulingConstraints of a PodGroup"},
            {"{podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}, "
             "disruptionMode: PodGroup}}]}, version: '1.37'",
             "",
             "disruptionMode: PodGroup is not modelled for version 1.37"},
            {"{podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: {basic: {}}, "
             "priorityClassName: high}}]}",
             "",
             "expected priority beside priorityClassName"},
            {"{podGroups: [{metadata: {name: h}, spec: {schedulingPolicy: {basic: {}}}}]}",
             in_g,
             "a names the PodGroup g, which is not in its namespace"},
            {"{podGroup: []}", "", "unknown key 'podGroup' in gangs"},
            {"{}", "schedulingGroup: {podGroup: g}", "unknown key 'podGroup' in schedulingGroup"},
        }));
    const Folder folder;
    folder.write("nodes.json", nodes_with({1}));
    folder.write(
        "run.yaml",
        experiment("{pods: [{name: a, type: gpu1, " + entry + "}]}", "{gangs: " + gangs + "}"));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CAPTURE(answer.err);
    CHECK(answer.status == 2);
    CHECK(answer.err.find(expected) != std::string::npos);
}

TEST_CASE("kube gangs: what has no effect is said", "[cli][kube]") {
    const Folder folder;
    const std::string pod = "{pods: [{name: a, type: gpu1, " + in_g + "}]}";

    CHECK(run(folder, nodes_with({1}), experiment(pod, "{}"))
              .find("a names a PodGroup, which has no effect") != std::string::npos);
}

TEST_CASE("kube gangs: why tells what was tried, and in which order it would fit", "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({4, 2}),
              experiment("{pods: [{name: b, type: gpu2, " + in_g + "}, {name: a, type: gpu4, " +
                             in_g + "}]}",
                         "{gangs: {" + group(all_of(2)) + "}}"));

    const Answer why = folder.berth({"why", "out/run", "a"});

    CAPTURE(why.out);
    CHECK(why.out.find("b: n0 in the snapshot") != std::string::npos);
    CHECK(why.out.find("a: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.") !=
          std::string::npos);
    CHECK(why.out.find("the pods of the gang are tried in the order a, b") != std::string::npos);
}

TEST_CASE("kube gangs: why names a lower minCount only if the job starts with it", "[cli][kube]") {
    const Folder folder;
    (void)run(
        folder,
        nodes_with({3}),
        experiment("{groups: [{document: {kind: GroupPlacement, spec: {group: {name: a, size: "
                   "4, type: gpu1}}}}]}, {pods: [{name: b, type: gpu1, at: 1m, " +
                       in_g + "}, {name: c, type: gpu4, at: 1m, " + in_g + "}]}",
                   "{gangs: {" + group(all_of(2)) + "}}"));

    const Answer a = folder.berth({"why", "out/run", "a"});
    CAPTURE(a.out);
    CHECK(a.out.find("a-0 to a-2: n0 in the snapshot") != std::string::npos);
    CHECK(a.out.find("gang: too few: none of them starts") != std::string::npos);
    CHECK(a.out.find("the smallest change first:\n    1. minCount of the gang is 3") !=
          std::string::npos);
    const Answer b = folder.berth({"why", "out/run", "b"});
    CHECK(b.out.find("minCount of the gang is 1") != std::string::npos);
    const Answer c = folder.berth({"why", "out/run", "c"});
    CHECK(c.out.find("b: n0 in the snapshot") != std::string::npos);
    CHECK(c.out.find("minCount of the gang is") == std::string::npos);
}

TEST_CASE("kube gangs: why tells who was preempted in vain", "[cli][kube]") {
    const Folder folder;
    (void)run(folder,
              nodes_with({1, 1}),
              experiment("{pods: [{name: low, type: gpu1, count: 2}]}, {pods: [{name: a, type: "
                         "gpu1, at: 1m, priority: 9, " +
                             in_g + "}, {name: b, type: gpu4, at: 1m, priority: 9, " + in_g + "}]}",
                         "{gangs: {" + group(all_of(2)) + "}}"));

    const Answer why = folder.berth({"why", "out/run", "a"});

    CAPTURE(why.out);
    CHECK(why.out.find("in the snapshot, where it preempts low-") != std::string::npos);
    CHECK(why.out.find("gang: too few, and the preempted pods stop in vain") != std::string::npos);
}
