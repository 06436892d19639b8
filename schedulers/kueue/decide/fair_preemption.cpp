#include "schedulers/kueue/decide/fair_preemption.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::kueue {

bool FairOrder::has_candidates(QuotaNode queue) const {
    const auto left = candidates_.find(queue);
    return left != candidates_.end() && !left->second.empty();
}

WorkloadId FairOrder::pop(QuotaNode queue) {
    BERTH_ASSERT(has_candidates(queue), "only a queue with candidates is chosen");
    QueueCandidates& left = candidates_.at(queue);
    const WorkloadId first = left.front();
    left.pop();
    return first;
}

std::optional<QuotaNode> FairOrder::next() {
    const QuotaTree& tree = cache_.tree();
    if (!tree.parent(preemptor_)) {
        return !pruned_.contains(preemptor_) && has_candidates(preemptor_)
                   ? std::optional(preemptor_)
                   : std::nullopt;
    }
    const QuotaNode root = tree.root(preemptor_);
    QuotaNode cohort = root;
    while (!pruned_.contains(root)) {
        const Best queue = best_queue(cohort);
        const Best below = best_cohort(cohort);
        if (!queue.node && !below.node) {
            pruned_.insert(cohort);
            cohort = root;
        } else if (below.node && (!queue.node || compare(below.share, queue.share) >= 0)) {
            cohort = *below.node;
        } else {
            return queue.node;
        }
    }
    return std::nullopt;
}

bool FairOrder::preempted_before(QuotaNode a, QuotaNode b) const {
    return order_.compare_candidates(cache_.workload(candidates_.at(a).front()),
                                     cache_.workload(candidates_.at(b).front()),
                                     preemptor_,
                                     false) < 0;
}

const std::vector<QuotaNode>& FairOrder::queues_with_candidates(QuotaNode cohort) {
    const auto [found, fresh] = below_.try_emplace(cohort);
    if (fresh) {
        std::ranges::copy_if(cache_.tree().queues(cohort),
                             std::back_inserter(found->second),
                             [&](QuotaNode queue) { return candidates_.contains(queue); });
    }
    return found->second;
}

FairOrder::Best FairOrder::best_queue(QuotaNode cohort) {
    Best best;
    for (const QuotaNode queue : queues_with_candidates(cohort)) {
        if (pruned_.contains(queue)) {
            continue;
        }
        DominantShare share = cache_.tree().share(queue);
        if ((!share.borrows() && queue != preemptor_) || !has_candidates(queue)) {
            pruned_.insert(queue);
            continue;
        }
        const auto order = best.node ? compare(share, best.share) : std::weak_ordering::greater;
        if (order > 0 || (order == 0 && preempted_before(queue, *best.node))) {
            best = {queue, std::move(share)};
        }
    }
    return best;
}

FairOrder::Best FairOrder::best_cohort(QuotaNode cohort) {
    Best best;
    for (const QuotaNode child : cache_.tree().cohorts(cohort)) {
        if (pruned_.contains(child)) {
            continue;
        }
        DominantShare share = cache_.tree().share(child);
        if (!share.borrows() && !cache_.tree().is_below(preemptor_, child)) {
            pruned_.insert(child);
        } else if (!best.node || compare(share, best.share) >= 0) {
            best = {child, std::move(share)};
        }
    }
    return best;
}

std::vector<Target> FairPreemption::find() {
    FairOrder::Candidates found = candidates();
    if (found.empty() || !may_fit(found)) {
        return {};
    }
    search_.has_tried_ = true;
    Cache& cache = search_.cache_;
    const Preemptor& preemptor = search_.preemptor_;
    cache.tree().add_usage(preemptor.queue, preemptor.requests);
    const bool fits = run_first(std::move(found)) || (runs_again() && run_first(retried())) ||
                      (cache.configuration().fair_strategies.size() > 1 && run_second());
    cache.tree().remove_usage(preemptor.queue, preemptor.requests);
    if (!fits) {
        search_.restore(targets_);
        return {};
    }
    search_.fill_back(targets_, true);
    search_.restore(targets_);
    return targets_;
}

bool FairPreemption::may_fit(const FairOrder::Candidates& found) const {
    const QuotaTree& tree = search_.cache_.tree();
    return search_.may_fit([&](FlavorResource what, std::span<Amount> held) {
        for (const auto& [queue, candidates] : found) {
            QuotaNode above = queue;
            while (!tree.is_below(search_.preemptor_.queue, above)) {
                above = *tree.parent(above);
            }
            Amount& sum = held[search_.steps_up_to(above)];
            sum = plus(sum, candidates.hold_at_most(what));
        }
    });
}

void FairPreemption::add_candidates(QuotaNode queue, FairOrder::Candidates& found) const {
    QueueCandidates own(search_.cache_, search_.order_, search_.preemptor_, queue);
    if (!own.empty()) {
        found.emplace(queue, std::move(own));
    }
}

FairOrder::Candidates FairPreemption::candidates() const {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    FairOrder::Candidates found;
    add_candidates(preemptor.queue, found);
    const PreemptionPolicy reclaim =
        search_.cache_.queue(preemptor.queue).preemption.reclaim_within_cohort;
    if (!tree.parent(preemptor.queue) || reclaim == PreemptionPolicy::never) {
        return found;
    }
    for (const QuotaNode cohort : tree.cohorts_below(tree.root(preemptor.queue))) {
        for (const QuotaNode queue : tree.queues(cohort)) {
            if (queue != preemptor.queue && !tree.within_nominal(queue, preemptor.scarce)) {
                add_candidates(queue, found);
            }
        }
    }
    return found;
}

FairPreemption::Sides FairPreemption::sides(QuotaNode target) const {
    const QuotaTree& tree = search_.cache_.tree();
    Sides sides{search_.preemptor_.queue, target};
    while (!tree.is_below(sides.preemptor, *tree.parent(sides.target))) {
        sides.target = *tree.parent(sides.target);
    }
    while (tree.parent(sides.preemptor) != tree.parent(sides.target)) {
        sides.preemptor = *tree.parent(sides.preemptor);
    }
    return sides;
}

bool FairPreemption::fits_without_itself() {
    const Preemptor& preemptor = search_.preemptor_;
    search_.cache_.tree().remove_usage(preemptor.queue, preemptor.requests);
    const bool fits = search_.fits(true);
    search_.cache_.tree().add_usage(preemptor.queue, preemptor.requests);
    return fits;
}

bool FairPreemption::take_and_fit(WorkloadId workload, PreemptionReason reason) {
    search_.take(targets_, {workload, reason});
    return fits_without_itself();
}

bool FairPreemption::run_first(FairOrder::Candidates candidates) {
    const Cache& cache = search_.cache_;
    const Preemptor& preemptor = search_.preemptor_;
    FairOrder order(cache, search_.order_, preemptor.queue, std::move(candidates));
    const bool within_nominal = cache.gate(FeatureGate::fair_sharing_preempt_within_nominal) &&
                                cache.tree().within_nominal(preemptor.queue, preemptor.scarce);
    while (const auto queue = order.next()) {
        bool done = false;
        if (*queue == preemptor.queue) {
            done = take_and_fit(order.pop(*queue), PreemptionReason::in_cluster_queue);
        } else if (within_nominal) {
            done = take_and_fit(order.pop(*queue), PreemptionReason::in_cohort_reclamation);
        } else {
            done = take_by_share(order, *queue);
        }
        if (done) {
            return true;
        }
    }
    return false;
}

bool FairPreemption::take_by_share(FairOrder& order, QuotaNode queue) {
    Cache& cache = search_.cache_;
    const auto [preemptor_side, target_side] = sides(queue);
    const DominantShare own = cache.tree().share(preemptor_side);
    const DominantShare before = cache.tree().share(target_side);
    if (own.is_infinite() && !before.is_infinite()) {
        while (order.has_candidates(queue)) {
            retry_.push_back(order.pop(queue));
        }
        return false;
    }
    while (order.has_candidates(queue)) {
        const WorkloadId workload = order.pop(queue);
        cache.tree().remove_usage(queue, cache.usage(workload));
        const DominantShare after = cache.tree().share(target_side);
        cache.tree().add_usage(queue, cache.usage(workload));
        const bool passes = cache.configuration().fair_strategies.front() ==
                                    FairStrategy::less_or_equal_to_final_share
                                ? compare(own, after) <= 0
                                : compare(own, before) < 0;
        if (passes) {
            return take_and_fit(workload, PreemptionReason::in_cohort_fair_sharing);
        }
        retry_.push_back(workload);
    }
    return false;
}

bool FairPreemption::runs_again() const {
    const Cache& cache = search_.cache_;
    return cache.gate(FeatureGate::fair_sharing_reevaluate) &&
           std::ranges::any_of(targets_, [&](const Target& target) {
               return cache.queue_of(target.workload) == search_.preemptor_.queue;
           });
}

FairOrder::Candidates FairPreemption::retried() {
    std::map<QuotaNode, std::vector<WorkloadId>> retry;
    for (const WorkloadId workload : std::exchange(retry_, {})) {
        retry[search_.cache_.queue_of(workload)].push_back(workload);
    }
    FairOrder::Candidates candidates;
    for (auto& [queue, workloads] : retry) {
        candidates.emplace(queue, std::move(workloads));
    }
    return candidates;
}

bool FairPreemption::run_second() {
    const Cache& cache = search_.cache_;
    FairOrder order(cache, search_.order_, search_.preemptor_.queue, retried());
    while (const auto queue = order.next()) {
        const auto [preemptor_side, target_side] = sides(*queue);
        const bool passes =
            compare(cache.tree().share(preemptor_side), cache.tree().share(target_side)) < 0;
        const WorkloadId workload = order.pop(*queue);
        if (passes && take_and_fit(workload, PreemptionReason::in_cohort_fair_sharing)) {
            return true;
        }
        order.prune(*queue);
    }
    return false;
}

}  // namespace berth::core::kueue
