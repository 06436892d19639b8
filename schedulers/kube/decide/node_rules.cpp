#include "schedulers/kube/decide/node_rules.hpp"

#include <algorithm>

namespace berth::core::kube {

bool matches_node_rules(const Pod& pod, const Node& node) {
    const bool has_labels =
        !pod.node_selector || std::ranges::all_of(*pod.node_selector, [&](const auto& wanted) {
            const auto label = node.labels.find(wanted.first);
            return label != node.labels.end() && label->second == wanted.second;
        });
    return has_labels &&
           (!pod.required_nodes || matches(*pod.required_nodes, node.labels, node.name));
}

bool has_untolerated_taint(const Pod& pod, const Node& node) {
    return find_untolerated(node.taints, pod.tolerations, TaintOf::node) != nullptr;
}

}  // namespace berth::core::kube
