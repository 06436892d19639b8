#include "schedulers/kube/decide/node_label.hpp"

#include <algorithm>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::core::kube {

void CountsByValue::add(std::size_t node, std::int64_t change) {
    if (!has(node)) {
        return;
    }
    std::int64_t& count = counts_[label_->of_node[node]];
    not_zero_ -= count != 0 ? 1 : 0;
    count += change;
    not_zero_ += count != 0 ? 1 : 0;
}

CountsByValue& CountsByLabel::at(const std::string& key, const Cluster& cluster) {
    const auto known = by_key_.find(key);
    return known != by_key_.end() ? known->second
                                  : by_key_.emplace(key, cluster.label(key)).first->second;
}

bool CountsByLabel::empty() const {
    return std::ranges::all_of(by_key_, [](const auto& counts) { return counts.second.empty(); });
}

}  // namespace berth::core::kube
