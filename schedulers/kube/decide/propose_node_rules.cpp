#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "schedulers/kube/decide/proposals.hpp"

// Proposals for nodes that the pod does not select.

namespace berth::core::kube {
namespace {

constexpr const char* required_path =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

/// The labels of the pod's nodeSelector that a node does not have.
Labels missing(const Pod& pod, const Node& node) {
    Labels labels;
    for (const auto& [key, value] : pod.node_selector.value_or(Labels())) {
        const auto label = node.labels.find(key);
        if (label == node.labels.end() || label->second != value) {
            labels.emplace(key, value);
        }
    }
    return labels;
}

Candidate select_less(const Labels& labels, const Pod& pod) {
    Candidate candidate{.field = ChangedField::node_selector, .parts = labels.size(), .pod = pod};
    std::vector<std::string> texts;
    for (const auto& [key, value] : labels) {
        candidate.pod.node_selector->erase(key);
        candidate.pod_steps.push_back({"remove", "/spec/nodeSelector/" + in_path(key), {}, {}});
        texts.push_back(fmt::format("{}={}", key, value));
    }
    candidate.text = fmt::format("remove {} from nodeSelector", enumerate(texts));
    candidate.labels = labels;
    return candidate;
}

std::string text_of(const LabelExpression& condition) {
    constexpr const char* operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    const std::string text =
        fmt::format("{} {}", condition.key, operators[static_cast<std::size_t>(condition.op)]);
    return condition.values.empty() ? text
                                    : fmt::format("{} [{}]", text, join(condition.values, ", "));
}

using Conditions = std::vector<LabelExpression>;

/// Removes one condition of one term. A term without any other matches nothing without it.
void drop_conditions(const Pod& pod,
                     std::size_t term,
                     const char* list,
                     Conditions NodeSelectorTerm::* member,
                     std::vector<Candidate>& proposals) {
    const NodeSelectorTerm& conditions = (*pod.required_nodes)[term].conditions;
    if (conditions.expressions.size() + conditions.fields.size() < 2) {
        return;
    }
    for (std::size_t i = 0; i < (conditions.*member).size(); ++i) {
        Candidate& candidate =
            proposals.emplace_back(Candidate{.field = ChangedField::node_affinity, .pod = pod});
        NodeTerm& changed = (*candidate.pod.required_nodes)[term];
        Conditions& left = changed.conditions.*member;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        changed.fault = why_invalid(changed.conditions);
        candidate.text = fmt::format("remove {} from the required node affinity",
                                     text_of((conditions.*member)[i]));
        candidate.pod_steps.push_back(
            {"remove",
             fmt::format("{}/nodeSelectorTerms/{}/{}/{}", required_path, term, list, i),
             {},
             {}});
    }
}

/// Removes a condition of the required affinity, or all of it.
std::vector<Candidate> require_less(const Pod& pod) {
    std::vector<Candidate> proposals;
    for (std::size_t term = 0; term < pod.required_nodes->size(); ++term) {
        drop_conditions(pod, term, "matchExpressions", &NodeSelectorTerm::expressions, proposals);
        drop_conditions(pod, term, "matchFields", &NodeSelectorTerm::fields, proposals);
    }
    proposals.resize(std::min(proposals.size(), most_of_a_field - 1));
    Candidate all{.field = ChangedField::node_affinity, .pod = pod};
    all.pod.required_nodes.reset();
    all.text = "remove the required node affinity";
    all.pod_steps.push_back({"remove", required_path, {}, {}});
    proposals.push_back(std::move(all));
    return proposals;
}

}  // namespace

void propose_node_rules(const Rejected& rejected, std::vector<Candidate>& proposals) {
    const Pod& pod = rejected.pod;
    NodesByObstacles<Labels> nodes;
    std::vector<std::size_t> by_affinity;
    for (const std::size_t position : rejected.by("NodeAffinity")) {
        const Node& node = rejected.cluster.nodes()[position].node();
        nodes[missing(pod, node)].push_back(position);
        if (pod.required_nodes && !matches(*pod.required_nodes, node.labels, node.name)) {
            by_affinity.push_back(position);
        }
    }
    for (auto& [labels, positions] : by_size(nodes)) {
        proposals.push_back(select_less(labels, pod));
        proposals.back().among = std::move(positions);
    }
    if (by_affinity.empty()) {
        return;
    }
    for (Candidate& candidate : require_less(pod)) {
        candidate.among = by_affinity;
        proposals.push_back(std::move(candidate));
    }
}

}  // namespace berth::core::kube
