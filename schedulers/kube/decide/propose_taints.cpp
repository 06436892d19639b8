#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/proposals.hpp"
#include "schedulers/kube/decide/trial.hpp"

// Proposals for nodes that a taint or a cordon keeps from the pod.

namespace berth::core::kube {
namespace {

constexpr const char* cordon = "node.kubernetes.io/unschedulable";

/// A taint's key, value and effect.
using TaintKey = std::tuple<std::string, std::string, std::string>;

std::string text_of(const TaintKey& taint) {
    const auto& [key, value, effect] = taint;
    return value.empty() ? fmt::format("{}:{}", key, effect)
                         : fmt::format("{}={}:{}", key, value, effect);
}

/// Whether Kubernetes taints nodes so that cannot run pods at the moment. To tolerate it is no
/// help.
bool is_of_condition(const TaintKey& taint) {
    const std::string& key = std::get<0>(taint);
    return key.starts_with("node.kubernetes.io/") ||
           key.starts_with("node.cloudprovider.kubernetes.io/");
}

std::vector<TaintKey> untolerated(const Pod& pod, const Node& node) {
    std::vector<TaintKey> keys;
    for (const Taint& taint : node.taints) {
        if (find_untolerated(std::span(&taint, 1), pod.tolerations, TaintOf::node) != nullptr) {
            keys.emplace_back(taint.key, taint.value, taint.effect);
        }
    }
    return keys;
}

Candidate tolerate(const std::vector<TaintKey>& taints, const Pod& pod) {
    Candidate candidate{.field = ChangedField::tolerations, .parts = taints.size(), .pod = pod};
    std::vector<std::string> texts;
    if (pod.tolerations.empty()) {
        candidate.pod_steps.push_back({"add", "/spec/tolerations", PatchStep::EmptyList{}, {}});
    }
    for (const TaintKey& taint : taints) {
        const auto& [key, value, effect] = taint;
        Labels toleration{{"key", key}, {"effect", effect}};
        Toleration& added = candidate.pod.tolerations.emplace_back();
        added = {key, Toleration::Operator::exists, value, effect};
        if (value.empty()) {
            toleration["operator"] = "Exists";
        } else {
            added.op = Toleration::Operator::equal;
            toleration["operator"] = "Equal";
            toleration["value"] = value;
        }
        candidate.pod_steps.push_back({"add", "/spec/tolerations/-", std::move(toleration), {}});
        texts.push_back(text_of(taint));
    }
    candidate.text = taints.size() == 1 ? "add a toleration of the taint " + texts.front()
                                        : "add tolerations of the taints " + enumerate(texts);
    return candidate;
}

/// Takes the cordon from a node, and the taint that Kubernetes adds to it.
Candidate uncordon(std::size_t position, const Rejected& rejected) {
    const Node& node = rejected.cluster.nodes()[position].node();
    Candidate candidate{.field = ChangedField::unschedulable, .pod = rejected.pod};
    candidate.text = fmt::format("make node {} schedulable (uncordon)", node.name);
    candidate.among = {position};
    candidate.node = ChangedNode{position, node};
    if (node.is_unschedulable) {
        candidate.node->node.is_unschedulable = false;
        candidate.node_steps.push_back({"replace", "/spec/unschedulable", false, {}});
    }
    std::vector<Taint>& taints = candidate.node->node.taints;
    for (std::size_t i = taints.size(); i-- > 0;) {
        if (taints[i].key == cordon) {
            taints.erase(taints.begin() + static_cast<std::ptrdiff_t>(i));
            candidate.node_steps.push_back({"remove", fmt::format("/spec/taints/{}", i), {}, {}});
        }
    }
    return candidate;
}

}  // namespace

void propose_tolerations(const Rejected& rejected, std::vector<Candidate>& proposals) {
    NodesByObstacles<std::vector<TaintKey>> nodes;
    for (const std::size_t position : rejected.by("TaintToleration")) {
        std::vector<TaintKey> taints =
            untolerated(rejected.pod, rejected.cluster.nodes()[position].node());
        if (std::ranges::none_of(taints, is_of_condition)) {
            std::ranges::sort(taints);
            nodes[std::move(taints)].push_back(position);
        }
    }
    for (auto& [taints, positions] : by_size(nodes)) {
        proposals.push_back(tolerate(taints, rejected.pod));
        proposals.back().among = std::move(positions);
    }
}

void propose_uncordoning(const Rejected& rejected, std::vector<Candidate>& proposals) {
    std::vector<std::size_t> nodes = rejected.by("NodeUnschedulable");
    std::ranges::copy_if(
        rejected.by("TaintToleration"), std::back_inserter(nodes), [&](std::size_t position) {
            const auto taints =
                untolerated(rejected.pod, rejected.cluster.nodes()[position].node());
            return taints.size() == 1 && std::get<0>(taints.front()) == cordon;
        });
    if (nodes.empty()) {
        return;
    }
    // A node that would take a pod that tolerates cordons takes this one if it has none. If there
    // is no such node, one node for each other verdict may help beside another change.
    Pod tolerant = rejected.pod;
    tolerant.tolerations.push_back({cordon, Toleration::Operator::exists, "", ""});
    std::vector<Rejection> rejections;
    const Trial trial(tolerant, rejected.cluster);
    if (const auto node = trial.first_passing(nodes, &rejections)) {
        proposals.push_back(uncordon(*node, rejected));
        return;
    }
    std::set<std::pair<std::string_view, std::vector<std::string>>> verdicts;
    for (const auto& [node, verdict] : rejections) {
        if (verdicts.size() < most_of_a_field &&
            verdicts.emplace(verdict.plugin, verdict.reasons).second) {
            proposals.push_back(uncordon(node, rejected));
        }
    }
}

}  // namespace berth::core::kube
