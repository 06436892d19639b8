#include "schedulers/kueue/decide/queue_candidates.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::core::kueue {

QueueCandidates::QueueCandidates(const Cache& cache,
                                 const WorkloadOrder& order,
                                 const Preemptor& preemptor,
                                 QuotaNode queue)
    : cache_(&cache), order_(&order), preemptor_(&preemptor) {
    const PreemptionPolicy policy = preemptor.policy_towards(queue, cache);
    if (policy == PreemptionPolicy::never || policy == PreemptionPolicy::unset) {
        return;
    }
    const HeldWorkloads& held = cache.held_by(queue);
    if (cache.configuration().admission_fair_sharing || !held.are_written()) {
        sort_all(order, queue);
    } else {
        for (const FlavorResource what : preemptor.scarce) {
            const HeldWorkloads::InOrder& users = held.users(what);
            runs_.push_back(
                {what, &held, &users, users.begin(), most_priority(held, what, policy)});
            skip_too_high(runs_.back());
        }
    }
    find_next();
}

void QueueCandidates::sort_all(const WorkloadOrder& order, QuotaNode queue) {
    for (const HeldWorkload* held : cache_->held_by(queue).by_name()) {
        if (!held->out && preemptor_->may_preempt(*held, *cache_, order)) {
            sorted_.push_back(held->id);
        }
    }
    std::ranges::stable_sort(sorted_, [&](WorkloadId a, WorkloadId b) {
        return order.compare_candidates(cache_->workload(a),
                                        cache_->workload(b),
                                        preemptor_->queue,
                                        cache_->configuration().admission_fair_sharing) < 0;
    });
}

std::optional<std::int64_t> QueueCandidates::most_priority(const HeldWorkloads& held,
                                                           FlavorResource what,
                                                           PreemptionPolicy policy) const {
    const std::int64_t own = preemptor_->workload.priority;
    if (policy == PreemptionPolicy::any) {
        return std::numeric_limits<std::int64_t>::max();
    }
    const bool equal_too = policy == PreemptionPolicy::lower_or_newer_equal_priority &&
                           held.has_newer(what, own, order_->queued_since(preemptor_->workload));
    if (equal_too) {
        return own;
    }
    return own == std::numeric_limits<std::int64_t>::min() ? std::nullopt : std::optional(own - 1);
}

void QueueCandidates::skip_too_high(Run& run) {
    const auto is_too_high = [&] {
        return run.next != run.users->end() &&
               (!run.most || (*run.next)->workload.priority > *run.most);
    };
    if (is_too_high() && (*run.next)->workload.evicted) {
        run.next = run.users->lower_bound(HeldWorkloads::Begin{false});
    }
    if (is_too_high()) {
        run.next = run.users->end();
    }
}

const HeldWorkload* QueueCandidates::take_first() {
    constexpr HeldWorkloads::PreemptedBefore before;
    const HeldWorkload* first = nullptr;
    for (const Run& run : runs_) {
        if (run.next != run.users->end() && (first == nullptr || before(*run.next, first))) {
            first = *run.next;
        }
    }
    // A workload that holds several scarce resources is in as many runs, and is the first in each.
    for (Run& run : runs_) {
        if (run.next != run.users->end() && *run.next == first) {
            ++run.next;
            skip_too_high(run);
        }
    }
    return first;
}

void QueueCandidates::limit(std::int64_t priority) {
    const auto is_too_high = [&](WorkloadId id) {
        return cache_->workload(id).priority > priority;
    };
    for (Run& run : runs_) {
        run.most = run.most ? std::optional(std::min(*run.most, priority)) : std::nullopt;
        skip_too_high(run);
    }
    sorted_.erase(
        std::remove_if(
            sorted_.begin() + static_cast<std::ptrdiff_t>(taken_), sorted_.end(), is_too_high),
        sorted_.end());
    if (next_ && is_too_high(*next_)) {
        find_next();
    }
}

Amount QueueCandidates::hold_at_most(FlavorResource what) const {
    const auto run = std::ranges::find(runs_, what, &Run::what);
    if (run != runs_.end()) {
        return run->most ? run->held->held_up_to(what, *run->most) : 0;
    }
    const auto amount_of = [&](WorkloadId id) {
        const auto held = cache_->usage(id).find(what);
        return held == cache_->usage(id).end() ? 0 : held->second;
    };
    Amount sum = next_ ? amount_of(*next_) : 0;
    for (std::size_t i = taken_; i < sorted_.size(); ++i) {
        sum = plus(sum, amount_of(sorted_[i]));
    }
    return sum;
}

void QueueCandidates::find_next() {
    next_.reset();
    if (taken_ < sorted_.size()) {
        next_ = sorted_[taken_++];
        return;
    }
    while (const HeldWorkload* held = take_first()) {
        if (!held->out && preemptor_->may_preempt(*held, *cache_, *order_)) {
            next_ = held->id;
            return;
        }
    }
}

}  // namespace berth::core::kueue
