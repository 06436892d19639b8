// Runs in which kube-scheduler places a gang in one domain of a topology.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube_gangs.hpp"

using namespace berth::tests;

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
