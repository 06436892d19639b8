#include "schedulers/kueue/decide/workload.hpp"

#include <algorithm>

namespace berth::core::kueue {

PodSetResources PodSetResources::scaled_to(std::int64_t pods) const {
    PodSetResources scaled = *this;
    if (count != 0 && count != pods) {
        for (auto& [resource, amount] : scaled.requests) {
            amount = times(amount / count, pods);
        }
        scaled.count = pods;
    }
    return scaled;
}

FlavorResourceAmounts Workload::usage() const {
    FlavorResourceAmounts sums;
    for (const PodSetResources& total : totals) {
        for (const auto& [resource, amount] : total.requests) {
            const auto flavor = total.flavors.find(resource);
            if (flavor != total.flavors.end()) {
                add_to(sums, {flavor->second, resource}, amount);
            }
        }
    }
    return sums;
}

bool Workload::may_shrink() const {
    return std::ranges::any_of(pod_sets,
                               [](const PodSet& set) { return set.count > set.min_count; });
}

}  // namespace berth::core::kueue
