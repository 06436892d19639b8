#include "schedulers/kueue/decide/classical_preemption.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace berth::core::kueue {

std::vector<Target> ClassicalPreemption::find() {
    const QuotaNode queue = search_.preemptor_.queue;
    const std::vector<Above> cohorts = cohorts_above();
    add_source(queue, std::nullopt, found_.own);
    // If the own quota cannot have room, only candidates that may be preempted while the preemptor
    // borrows are of any use.
    const bool fits_own = may_fit_own_quota();
    const bool reclaims = std::ranges::any_of(cohorts, &Above::hierarchical);
    if (!fits_own && !reclaims && !borrowing().allowed && !may_fit(found_)) {
        return {};
    }
    for (const Above& above : cohorts) {
        if (above.hierarchical || fits_own || borrowing().allowed) {
            collect_below(above);
        }
    }
    for (const bool borrow : attempts()) {
        if (!borrow && !fits_own) {
            continue;
        }
        Found left = who_may_go(borrow);
        std::vector<Target> targets;
        if (may_fit(left)) {
            targets = attempt(std::move(left), borrow);
        }
        if (!targets.empty()) {
            return targets;
        }
    }
    return {};
}

const BorrowWithinCohort& ClassicalPreemption::borrowing() const {
    return search_.cache_.queue(search_.preemptor_.queue).preemption.borrow_within_cohort;
}

bool ClassicalPreemption::goes_while_borrowing(WorkloadId candidate) const {
    const BorrowWithinCohort& rule = borrowing();
    const std::int64_t priority = search_.cache_.workload(candidate).priority;
    return rule.allowed && priority < search_.preemptor_.workload.priority &&
           !(rule.max_priority_threshold && priority > *rule.max_priority_threshold);
}

PreemptionReason ClassicalPreemption::reason_of(WorkloadId candidate, bool by_priority) const {
    if (search_.cache_.queue_of(candidate) == search_.preemptor_.queue) {
        return PreemptionReason::in_cluster_queue;
    }
    return by_priority && goes_while_borrowing(candidate)
               ? PreemptionReason::in_cohort_reclaim_while_borrowing
               : PreemptionReason::in_cohort_reclamation;
}

void ClassicalPreemption::add_source(QuotaNode queue,
                                     std::optional<QuotaNode> found_in,
                                     Sources& to) const {
    QueueCandidates candidates(search_.cache_, search_.order_, search_.preemptor_, queue);
    if (!candidates.empty()) {
        to.push_back({std::move(candidates), queue, found_in});
    }
}

std::vector<ClassicalPreemption::Above> ClassicalPreemption::cohorts_above() const {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    if (search_.cache_.queue(preemptor.queue).preemption.reclaim_within_cohort ==
        PreemptionPolicy::never) {
        return {};
    }
    std::vector<Above> found;
    FlavorResourceAmounts rest = preemptor.requests;
    bool hierarchical = tree.take_own(preemptor.queue, rest);
    std::optional<QuotaNode> visited;
    for (auto cohort = tree.parent(preemptor.queue); cohort; cohort = tree.parent(*cohort)) {
        found.push_back({*cohort, visited, hierarchical});
        const bool fits = tree.take_own(*cohort, rest);
        hierarchical = hierarchical || fits;
        visited = cohort;
    }
    return found;
}

void ClassicalPreemption::collect_below(const Above& above) {
    const QuotaTree& tree = search_.cache_.tree();
    const FlavorResources& scarce = search_.preemptor_.scarce;
    Sources& to = above.hierarchical ? found_.hierarchical : found_.by_priority;
    struct Step {
        QuotaNode cohort;
        std::size_t next = 0;  ///< The child cohort to descend into.
    };
    std::vector<Step> path{{above.cohort}};
    while (!path.empty()) {
        const QuotaNode here = path.back().cohort;
        if (path.back().next < tree.cohorts(here).size()) {
            const QuotaNode child = tree.cohorts(here)[path.back().next++];
            if (child != above.visited && !tree.within_nominal(child, scarce)) {
                path.push_back({child});
            }
            continue;
        }
        for (const QuotaNode queue : tree.queues(here)) {
            if (queue != search_.preemptor_.queue && !tree.within_nominal(queue, scarce)) {
                add_source(queue, above.cohort, to);
            }
        }
        path.pop_back();
    }
}

std::vector<bool> ClassicalPreemption::attempts() const {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    const bool may_borrow = borrowing().allowed;
    const bool under_nominal = std::ranges::all_of(preemptor.scarce, [&](FlavorResource what) {
        return tree.quota(preemptor.queue, what).nominal > tree.usage(preemptor.queue, what);
    });
    if ((found_.hierarchical.empty() && found_.by_priority.empty()) ||
        (!may_borrow && !under_nominal)) {
        return {true};
    }
    if (!may_borrow && found_.hierarchical.empty()) {
        return {false, true};
    }
    return {true, false};
}

bool ClassicalPreemption::may_fit_own_quota() const {
    const Preemptor& preemptor = search_.preemptor_;
    return std::ranges::all_of(preemptor.scarce, [&](FlavorResource what) {
        const auto request = preemptor.requests.find(what);
        if (request == preemptor.requests.end()) {
            return true;
        }
        const Amount less =
            found_.own.empty() ? 0 : found_.own.front().candidates.hold_at_most(what);
        return less == unlimited || !search_.cache_.tree().borrows_with(
                                        preemptor.queue, what, minus(request->second, less));
    });
}

bool ClassicalPreemption::may_fit(const Found& all) const {
    return search_.may_fit([&](FlavorResource what, std::span<Amount> held) {
        for (const Sources* sources : {&all.hierarchical, &all.by_priority, &all.own}) {
            for (const Source& source : *sources) {
                const QuotaNode at = source.found_in.value_or(source.queue);
                Amount& sum = held[search_.steps_up_to(at)];
                sum = plus(sum, source.candidates.hold_at_most(what));
            }
        }
    });
}

ClassicalPreemption::Found ClassicalPreemption::who_may_go(bool borrow) const {
    Found left = found_;
    if (!borrow) {
        return left;
    }
    const BorrowWithinCohort& rule = borrowing();
    const std::int64_t own = search_.preemptor_.workload.priority;
    if (!rule.allowed || own == std::numeric_limits<std::int64_t>::min()) {
        left.by_priority.clear();
        return left;
    }
    for (Source& source : left.by_priority) {
        source.candidates.limit(std::min(own - 1, rule.max_priority_threshold.value_or(own - 1)));
    }
    return left;
}

bool ClassicalPreemption::is_spared(const Source& source) const {
    if (!source.found_in) {
        return false;
    }
    const QuotaTree& tree = search_.cache_.tree();
    for (QuotaNode node = source.queue; node != *source.found_in; node = *tree.parent(node)) {
        if (tree.within_nominal(node, search_.preemptor_.scarce)) {
            return true;
        }
    }
    return false;
}

std::vector<Target> ClassicalPreemption::attempt(Found left, bool borrow) {
    search_.has_tried_ = true;
    std::vector<Target> targets;
    for (const bool evicted : {true, false}) {
        const bool done = take_from(left.hierarchical, false, evicted, borrow, targets) ||
                          take_from(left.by_priority, true, evicted, borrow, targets) ||
                          take_from(left.own, false, evicted, borrow, targets);
        if (done) {
            search_.fill_back(targets, borrow);
            search_.restore(targets);
            return targets;
        }
    }
    search_.restore(targets);
    return {};
}

bool ClassicalPreemption::goes_after(const Source& a, const Source& b) const {
    const Cache& cache = search_.cache_;
    const auto order =
        search_.order_.compare_candidates(cache.workload(a.candidates.front()),
                                          cache.workload(b.candidates.front()),
                                          search_.preemptor_.queue,
                                          cache.configuration().admission_fair_sharing);
    // Sources lie in the order in which they were found, which breaks ties.
    return order > 0 || (order == 0 && &a > &b);
}

bool ClassicalPreemption::take_from(
    Sources& sources, bool by_priority, bool evicted, bool borrow, std::vector<Target>& targets) {
    const auto goes_now = [&](const Source& source) {
        return !source.is_left && !source.candidates.empty() &&
               search_.cache_.workload(source.candidates.front()).evicted.has_value() == evicted;
    };
    const auto after = [&](const Source* a, const Source* b) { return goes_after(*a, *b); };
    std::vector<Source*> heap;
    for (Source& source : sources) {
        if (goes_now(source)) {
            heap.push_back(&source);
        }
    }
    std::ranges::make_heap(heap, after);
    while (!heap.empty()) {
        std::ranges::pop_heap(heap, after);
        Source& source = *heap.back();
        // Usage only goes down while candidates are taken, so a queue that is spared once stays
        // spared.
        source.is_left = is_spared(source);
        if (source.is_left) {
            heap.pop_back();
            continue;
        }
        const WorkloadId workload = source.candidates.front();
        source.candidates.pop();
        if (goes_now(source)) {
            std::ranges::push_heap(heap, after);
        } else {
            heap.pop_back();
        }
        search_.take(targets, {workload, reason_of(workload, by_priority)});
        if (search_.fits(borrow)) {
            return true;
        }
    }
    return false;
}

}  // namespace berth::core::kueue
