#include "schedulers/kueue/decide/held_workloads.hpp"

#include <iterator>
#include <tuple>

#include "core/support/assert.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {
namespace {

Amount amount_of(const HeldWorkload& held, FlavorResource what) {
    const auto amount = held.usage.find(what);
    return amount == held.usage.end() ? 0 : amount->second;
}

/// Whether a workload with this priority is left, after one with it was removed just before `next`.
template <class Ages>
bool has_priority(const Ages& ages, typename Ages::const_iterator next, std::int64_t priority) {
    return (next != ages.end() && next->first == priority) ||
           (next != ages.begin() && std::prev(next)->first == priority);
}

}  // namespace

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
        users.held[held.workload.priority] += amount_of(held, what);
    }
    unwritten_ += held.workload.reserved ? 0 : 1;
}

void HeldWorkloads::erase(const HeldWorkload& held) {
    const std::size_t erased = by_name_.erase(&held);
    BERTH_ASSERT(erased == 1, "who goes was there");
    for (const FlavorResource what : held.flavors) {
        Users& users = users_.at(what);
        users.in_order.erase(&held);
        const auto age = users.ages.find({held.workload.priority, held.queued_since});
        const auto next = users.ages.erase(age);
        const auto sum = users.held.find(held.workload.priority);
        sum->second -= amount_of(held, what);
        if (!has_priority(users.ages, next, held.workload.priority)) {
            users.held.erase(sum);
        }
        if (users.in_order.empty()) {
            users_.erase(what);
        }
    }
    unwritten_ -= held.workload.reserved ? 0 : 1;
}

Amount HeldWorkloads::held_up_to(FlavorResource what, std::int64_t priority) const {
    const auto found = users_.find(what);
    if (found == users_.end()) {
        return 0;
    }
    WideAmount sum = 0;
    for (const auto& [of, held] : found->second.held) {
        if (of > priority || sum >= unlimited) {
            break;
        }
        sum += held;
    }
    return sum >= unlimited ? unlimited : static_cast<Amount>(sum);
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
