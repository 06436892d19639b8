#include "core/kueue/held_workloads.hpp"

#include <tuple>

#include "core/kueue/workload_order.hpp"
#include "core/support/assert.hpp"

namespace berth::core::kueue {

HeldWorkload HeldWorkload::of(WorkloadId id,
                              Workload workload,
                              const Configuration& configuration,
                              std::uint64_t sequence) {
    HeldWorkload held;
    held.id = id;
    held.usage = workload.usage();
    for (const PodSetResources& total : workload.totals) {
        for (const auto& [resource, flavor] : total.flavors) {
            held.flavors.insert({flavor, resource});
        }
    }
    held.queued_since = kueue::queued_since(workload, configuration);
    held.sequence = sequence;
    held.workload = std::move(workload);
    return held;
}

bool HeldWorkloads::ByName::operator()(const HeldWorkload* a, const HeldWorkload* b) const {
    return std::tie(a->workload.name, a->sequence) < std::tie(b->workload.name, b->sequence);
}

bool HeldWorkloads::PreemptedBefore::operator()(const HeldWorkload* a,
                                                const HeldWorkload* b) const {
    const Workload& left = a->workload;
    const Workload& right = b->workload;
    if (left.evicted.has_value() != right.evicted.has_value()) {
        return left.evicted.has_value();
    }
    // The later time goes first.
    return std::tie(left.priority, right.reserved, left.uid, left.name, a->sequence) <
           std::tie(right.priority, left.reserved, right.uid, right.name, b->sequence);
}

void HeldWorkloads::insert(const HeldWorkload& held) {
    by_name_.insert(&held);
    for (const FlavorResource what : held.flavors) {
        Users& users = users_[what];
        users.in_order.insert(&held);
        users.ages.emplace(held.workload.priority, held.queued_since);
    }
    unwritten_ += held.workload.reserved ? 0 : 1;
}

void HeldWorkloads::erase(const HeldWorkload& held) {
    const std::size_t erased = by_name_.erase(&held);
    BERTH_ASSERT(erased == 1, "who goes was there");
    for (const FlavorResource what : held.flavors) {
        Users& users = users_.at(what);
        users.in_order.erase(&held);
        users.ages.extract({held.workload.priority, held.queued_since});
        if (users.in_order.empty()) {
            users_.erase(what);
        }
    }
    unwritten_ -= held.workload.reserved ? 0 : 1;
}

const HeldWorkloads::InOrder& HeldWorkloads::users(FlavorResource what) const {
    static const InOrder nobody;
    const auto found = users_.find(what);
    return found == users_.end() ? nobody : found->second.in_order;
}

bool HeldWorkloads::has_newer(FlavorResource what, std::int64_t priority, Time since) const {
    const auto found = users_.find(what);
    if (found == users_.end()) {
        return false;
    }
    const auto later = found->second.ages.upper_bound({priority, since});
    return later != found->second.ages.end() && later->first == priority;
}

}  // namespace berth::core::kueue
