// Runs in which kube-scheduler schedules gangs: PodGroups whose pods start together.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube_gangs.hpp"

using namespace berth::tests;

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
