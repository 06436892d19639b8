#include "core/kueue/classical_preemption.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace berth::core::kueue {

std::vector<Target> ClassicalPreemption::find() {
    collect_own();
    collect_cohorts();
    const std::vector<Candidate> candidates = in_order();
    for (const bool borrow : attempts()) {
        std::vector<Target> targets = attempt(candidates, borrow);
        if (!targets.empty()) {
            return targets;
        }
    }
    return {};
}

bool ClassicalPreemption::may_borrow() const {
    const Preemptor& preemptor = search_.preemptor_;
    return search_.cache_.queue(preemptor.queue).preemption.borrow_within_cohort.allowed;
}

ClassicalPreemption::Variant ClassicalPreemption::variant_of(WorkloadId candidate,
                                                             bool hierarchical) const {
    if (hierarchical) {
        return Variant::hierarchical_reclaim;
    }
    const Preemptor& preemptor = search_.preemptor_;
    const BorrowWithinCohort& rule =
        search_.cache_.queue(preemptor.queue).preemption.borrow_within_cohort;
    const std::int64_t priority = search_.cache_.workload(candidate).priority;
    const bool while_borrowing =
        rule.allowed && priority < preemptor.workload.priority &&
        !(rule.max_priority_threshold && priority > *rule.max_priority_threshold);
    return while_borrowing ? Variant::reclaim_while_borrowing : Variant::reclaim_without_borrowing;
}

void ClassicalPreemption::collect_own() {
    for (const WorkloadId workload : search_.cache_.workloads(search_.preemptor_.queue)) {
        if (search_.may_preempt(workload)) {
            own_.push_back({workload, std::nullopt, Variant::within_queue});
        }
    }
}

void ClassicalPreemption::collect_cohorts() {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    if (search_.cache_.queue(preemptor.queue).preemption.reclaim_within_cohort ==
        PreemptionPolicy::never) {
        return;
    }
    FlavorResourceAmounts rest = preemptor.requests;
    bool hierarchical = tree.take_own(preemptor.queue, rest);
    std::optional<QuotaNode> visited;
    for (auto cohort = tree.parent(preemptor.queue); cohort; cohort = tree.parent(*cohort)) {
        collect_below(*cohort, visited, hierarchical);
        const bool fits = tree.take_own(*cohort, rest);
        hierarchical = hierarchical || fits;
        visited = cohort;
    }
}

void ClassicalPreemption::collect_below(QuotaNode cohort,
                                        std::optional<QuotaNode> visited,
                                        bool hierarchical) {
    const QuotaTree& tree = search_.cache_.tree();
    const FlavorResources& scarce = search_.preemptor_.scarce;
    struct Step {
        QuotaNode cohort;
        std::size_t next = 0;  ///< The child cohort to descend into.
    };
    std::vector<Step> path{{cohort}};
    while (!path.empty()) {
        const QuotaNode here = path.back().cohort;
        if (path.back().next < tree.cohorts(here).size()) {
            const QuotaNode child = tree.cohorts(here)[path.back().next++];
            if (child != visited && !tree.within_nominal(child, scarce)) {
                path.push_back({child});
            }
            continue;
        }
        for (const QuotaNode queue : tree.queues(here)) {
            if (queue != search_.preemptor_.queue && !tree.within_nominal(queue, scarce)) {
                collect_queue(queue, cohort, hierarchical);
            }
        }
        path.pop_back();
    }
}

void ClassicalPreemption::collect_queue(QuotaNode queue, QuotaNode cohort, bool hierarchical) {
    for (const WorkloadId workload : search_.cache_.workloads(queue)) {
        if (search_.may_preempt(workload)) {
            (hierarchical ? hierarchical_ : by_priority_)
                .push_back({workload, cohort, variant_of(workload, hierarchical)});
        }
    }
}

std::vector<ClassicalPreemption::Candidate> ClassicalPreemption::in_order() {
    const Cache& cache = search_.cache_;
    const auto first = [&](const Candidate& a, const Candidate& b) {
        return search_.order_.compare_candidates(cache.workload(a.workload),
                                                 cache.workload(b.workload),
                                                 search_.preemptor_.queue,
                                                 cache.configuration().admission_fair_sharing) < 0;
    };
    std::vector<Candidate> ordered;
    for (const bool evicted : {true, false}) {
        for (std::vector<Candidate>* list : {&hierarchical_, &by_priority_, &own_}) {
            std::ranges::stable_sort(*list, first);
            std::ranges::copy_if(*list, std::back_inserter(ordered), [&](const Candidate& one) {
                return cache.workload(one.workload).evicted.has_value() == evicted;
            });
        }
    }
    return ordered;
}

std::vector<bool> ClassicalPreemption::attempts() const {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    const bool under_nominal = std::ranges::all_of(preemptor.scarce, [&](FlavorResource what) {
        return tree.quota(preemptor.queue, what).nominal > tree.usage(preemptor.queue, what);
    });
    if ((hierarchical_.empty() && by_priority_.empty()) || (!may_borrow() && !under_nominal)) {
        return {true};
    }
    if (!may_borrow() && hierarchical_.empty()) {
        return {false, true};
    }
    return {true, false};
}

bool ClassicalPreemption::is_skipped(const Candidate& candidate, bool borrow) const {
    if (!candidate.found_in) {
        return false;
    }
    const QuotaTree& tree = search_.cache_.tree();
    const FlavorResources& scarce = search_.preemptor_.scarce;
    if (borrow && candidate.variant == Variant::reclaim_without_borrowing) {
        return true;
    }
    for (QuotaNode node = search_.cache_.queue_of(candidate.workload); node != *candidate.found_in;
         node = *tree.parent(node)) {
        if (tree.within_nominal(node, scarce)) {
            return true;
        }
    }
    return false;
}

std::vector<Target> ClassicalPreemption::attempt(const std::vector<Candidate>& candidates,
                                                 bool borrow) {
    constexpr std::array reasons{PreemptionReason::in_cluster_queue,
                                 PreemptionReason::in_cohort_reclamation,
                                 PreemptionReason::in_cohort_reclamation,
                                 PreemptionReason::in_cohort_reclaim_while_borrowing};
    std::vector<Target> targets;
    for (const Candidate& candidate : candidates) {
        if (is_skipped(candidate, borrow)) {
            continue;
        }
        search_.take(targets,
                     {candidate.workload, reasons[static_cast<std::size_t>(candidate.variant)]});
        if (search_.fits(borrow)) {
            search_.fill_back(targets, borrow);
            search_.restore(targets);
            return targets;
        }
    }
    search_.restore(targets);
    return {};
}

}  // namespace berth::core::kueue
