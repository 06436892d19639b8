#include "schedulers/kube/run/disruption_budgets.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>

namespace berth::sim {

namespace kube = core::kube;

void DisruptionBudgets::add(const Template& pod, core::Members change) {
    if (objects_.budgets.empty()) {
        return;
    }
    const auto count = pods_.try_emplace(pod, 0).first;
    count->second += change;
    if (count->second == 0) {
        pods_.erase(count);
    }
}

std::int64_t DisruptionBudgets::expected(const KubeBudget& budget) const {
    std::set<const kube::PodOwner*> controllers;
    std::int64_t sum = 0;
    for (const auto& [pod, count] : pods_) {
        if (pod->name_space != budget.name_space || !budget.pods.matches(pod->labels)) {
            continue;
        }
        const auto controller = std::ranges::find_if(
            objects_.owners,
            [&](const kube::PodOwner& owner) { return kube::controls(owner, *pod); });
        if (controller == objects_.owners.end()) {
            sum += count;
        } else if (controllers.insert(&*controller).second) {
            sum += controller->replicas;
        }
    }
    return sum;
}

void DisruptionBudgets::update(kube::Cluster& cluster) const {
    for (std::size_t i = 0; i < objects_.budgets.size(); ++i) {
        const KubeBudget& budget = objects_.budgets[i];
        const std::int64_t all = expected(budget);
        const std::vector<std::int64_t>& by_node =
            cluster.count({{{budget.pods, {budget.name_space}, false}}, true});
        const std::int64_t healthy =
            std::accumulate(by_node.begin(), by_node.end(), std::int64_t{0});
        std::int64_t wanted = healthy;
        if (budget.max_unavailable) {
            wanted = std::max<std::int64_t>(0, all - budget.max_unavailable->of(all));
        } else if (budget.min_available) {
            wanted = budget.min_available->of(all);
        }
        cluster.allow(i, all > 0 ? std::max<std::int64_t>(0, healthy - wanted) : 0);
    }
}

}  // namespace berth::sim
