#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube_runs.hpp"

namespace berth::tests {

/// The Node objects n0, n1, ... with so many GPUs each.
inline std::string nodes_with(const std::vector<int>& gpus) {
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
inline std::string experiment(const std::string& workload, const std::string& kube) {
    return "kind: Experiment\nmetadata: {name: kube}\nspec:\n"
           "  topology: {nodes: {format: kubernetes, file: nodes.json}}\n"
           "  types: {gpu1: {cpu: 1, nvidia.com/gpu: 1}, gpu2: {cpu: 2, nvidia.com/gpu: 2}, "
           "gpu4: {cpu: 4, nvidia.com/gpu: 4}}\n"
           "  workload: [" +
           workload + "]\n  scheduler: {kube: " + kube + "}\n  until: 5m\n";
}

/// A PodGroup `g`, to which pods belong that say `in_g`.
inline std::string group(const std::string& policy, const std::string& more = "") {
    return "podGroups: [{metadata: {name: g}, spec: {schedulingPolicy: " + policy + more + "}}]";
}
inline const std::string in_g = "schedulingGroup: {podGroupName: g}";

/// Runs an experiment, which must be sound. Returns: its warnings.
inline std::string run(const Folder& folder, const std::string& nodes, const std::string& text) {
    folder.write("nodes.json", nodes);
    return run_sound(folder, text);
}

/// The pods that run at the end, and their nodes.
inline std::map<std::string, std::string> places(const Folder& folder) {
    std::map<std::string, std::string> found;
    for (const CsvRow& pod : pods_of(folder)) {
        if (!pod.at("start_s").empty()) {
            found.emplace(pod.at("pod"), pod.at("node"));
        }
    }
    return found;
}

inline std::string all_of(int min_count) {
    return "{gang: {minCount: " + std::to_string(min_count) + "}}";
}

}  // namespace berth::tests
