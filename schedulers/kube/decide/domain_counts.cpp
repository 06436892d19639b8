#include "schedulers/kube/decide/domain_counts.hpp"

#include <utility>

namespace berth::core::kube {

DomainCounts::DomainCounts(std::shared_ptr<const NodeLabel> label,
                           Pods pods,
                           std::vector<bool> counts_node,
                           Cluster& cluster)
    : label_(std::move(label)),
      which_(std::move(pods)),
      counts_node_(std::move(counts_node)),
      pods_(label_->of_node.size()),
      counts_(label_->count) {
    for (std::size_t node = 0; node < pods_.size(); ++node) {
        (void)look_at(node, cluster);
    }
}

std::int64_t DomainCounts::pods_on(std::size_t node, Cluster& cluster) const {
    if (which_.terms != nullptr) {
        const auto& weights = which_.terms->all()[which_.place].weights;
        const auto found = weights.find(node);
        return found == weights.end() ? 0 : found->second;
    }
    return which_.query ? cluster.count(*which_.query)[node] : 0;
}

std::int64_t DomainCounts::look_at(std::size_t node, Cluster& cluster) {
    if (!counts_node_[node]) {
        return 0;
    }
    const std::int64_t pods = pods_on(node, cluster);
    const std::int64_t change = pods - pods_[node];
    pods_[node] = pods;
    counts_[label_->of_node[node]] += change;
    return change;
}

std::vector<bool> nodes_with(const NodeLabel& label) {
    std::vector<bool> has;
    has.reserve(label.of_node.size());
    for (const std::uint32_t value : label.of_node) {
        has.push_back(value != NodeLabel::missing);
    }
    return has;
}

}  // namespace berth::core::kube
