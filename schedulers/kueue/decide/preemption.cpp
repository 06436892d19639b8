#include "schedulers/kueue/decide/preemption.hpp"

#include <algorithm>
#include <utility>

#include "schedulers/kueue/decide/classical_preemption.hpp"
#include "schedulers/kueue/decide/fair_preemption.hpp"

namespace berth::core::kueue {

PreemptionPolicy Preemptor::policy_towards(QuotaNode other, const Cache& cache) const {
    const PreemptionPolicies& policies = cache.queue(queue).preemption;
    return other == queue ? policies.within_cluster_queue : policies.reclaim_within_cohort;
}

bool Preemptor::may_preempt(const HeldWorkload& candidate,
                            const Cache& cache,
                            const WorkloadOrder& order) const {
    const bool uses_scarce = std::ranges::any_of(
        scarce, [&](FlavorResource what) { return candidate.flavors.contains(what); });
    return uses_scarce &&
           order.may_preempt(
               workload, candidate.workload, policy_towards(*candidate.workload.queue, cache));
}

PreemptionSearch::PreemptionSearch(Cache& cache,
                                   const WorkloadOrder& order,
                                   const Preemptor& preemptor)
    : cache_(cache), order_(order), preemptor_(preemptor) {}

std::vector<Target> PreemptionSearch::find() {
    return cache_.configuration().fair_sharing() ? FairPreemption(*this).find()
                                                 : ClassicalPreemption(*this).find();
}

std::size_t PreemptionSearch::steps_up_to(QuotaNode node) const {
    std::size_t steps = 0;
    for (QuotaNode here = preemptor_.queue; here != node; here = *cache_.tree().parent(here)) {
        ++steps;
    }
    return steps;
}

bool PreemptionSearch::may_fit(const HeldBy& add_held) const {
    const QuotaTree& tree = cache_.tree();
    const std::size_t nodes = steps_up_to(tree.root(preemptor_.queue)) + 1;
    return std::ranges::all_of(preemptor_.scarce, [&](FlavorResource what) {
        const auto request = preemptor_.requests.find(what);
        if (request == preemptor_.requests.end()) {
            return true;
        }
        std::vector<Amount> less(nodes, 0);
        add_held(what, less);
        for (std::size_t i = 1; i < less.size(); ++i) {
            less[i] = plus(less[i], less[i - 1]);
        }
        return request->second <= tree.available_at_most(preemptor_.queue, what, less);
    });
}

bool PreemptionSearch::fits(bool allow_borrowing) const {
    const QuotaTree& tree = cache_.tree();
    const bool has_quota = std::ranges::all_of(preemptor_.requests, [&](const auto& request) {
        const auto& [what, amount] = request;
        return (allow_borrowing || !tree.borrows_with(preemptor_.queue, what, amount)) &&
               amount <= tree.available(preemptor_.queue, what);
    });
    return has_quota &&
           (preemptor_.places.empty() ||
            !cache_.topologies()->find(preemptor_.workload, preemptor_.places, false).failure);
}

void PreemptionSearch::take(std::vector<Target>& targets, Target target) {
    cache_.take_out(target.workload);
    targets.push_back(target);
}

void PreemptionSearch::fill_back(std::vector<Target>& targets, bool allow_borrowing) {
    for (std::size_t i = targets.size() - 1; i-- > 0;) {
        cache_.put_back(targets[i].workload);
        if (fits(allow_borrowing)) {
            targets[i] = targets.back();
            targets.pop_back();
        } else {
            cache_.take_out(targets[i].workload);
        }
    }
}

void PreemptionSearch::restore(const std::vector<Target>& targets) {
    for (const Target& target : targets) {
        cache_.put_back(target.workload);
    }
}

SimulatedPreemption simulate_preemption(Cache& cache,
                                        const WorkloadOrder& order,
                                        const Workload& workload,
                                        FlavorResource what,
                                        Amount amount) {
    const QuotaNode queue = *workload.queue;
    const Preemptor preemptor{workload, queue, {{what, amount}}, {what}};
    PreemptionSearch search(cache, order, preemptor);
    std::vector<Target> targets = search.find();
    for (const Target& target : targets) {
        cache.take_out(target.workload);
    }
    const std::int64_t height = cache.tree().borrowing_height(queue, what, amount).height;
    for (const Target& target : targets) {
        cache.put_back(target.workload);
    }
    const bool own = std::ranges::any_of(
        targets, [&](const Target& target) { return cache.queue_of(target.workload) == queue; });
    const PreemptionOutlook outlook = targets.empty() ? PreemptionOutlook::no_candidates
                                      : own           ? PreemptionOutlook::preempt
                                                      : PreemptionOutlook::reclaim;
    return {outlook, height, std::move(targets), search.was_hopeless()};
}

}  // namespace berth::core::kueue
