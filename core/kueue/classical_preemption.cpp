#include "core/kueue/classical_preemption.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::core::kueue {

std::vector<Target> ClassicalPreemption::find() {
    const Preemptor& preemptor = search_.preemptor_;
    add_source(
        {search_.cache_, search_.order_, preemptor, preemptor.queue}, std::nullopt, found_.own);
    collect_cohorts();
    for (const bool borrow : attempts()) {
        std::vector<Target> targets = attempt(found_, borrow);
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

void ClassicalPreemption::add_source(QueueCandidates candidates,
                                     std::optional<QuotaNode> found_in,
                                     Sources& to) {
    if (!candidates.empty()) {
        to.push_back({std::move(candidates), found_in});
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
                add_source({search_.cache_, search_.order_, search_.preemptor_, queue},
                           cohort,
                           hierarchical ? found_.hierarchical : found_.by_priority);
            }
        }
        path.pop_back();
    }
}

std::vector<bool> ClassicalPreemption::attempts() const {
    const Preemptor& preemptor = search_.preemptor_;
    const QuotaTree& tree = search_.cache_.tree();
    const bool under_nominal = std::ranges::all_of(preemptor.scarce, [&](FlavorResource what) {
        return tree.quota(preemptor.queue, what).nominal > tree.usage(preemptor.queue, what);
    });
    if ((found_.hierarchical.empty() && found_.by_priority.empty()) ||
        (!may_borrow() && !under_nominal)) {
        return {true};
    }
    if (!may_borrow() && found_.hierarchical.empty()) {
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

std::vector<Target> ClassicalPreemption::attempt(Found left, bool borrow) {
    std::vector<Target> targets;
    for (const bool evicted : {true, false}) {
        const bool done = take_from(left.hierarchical, true, evicted, borrow, targets) ||
                          take_from(left.by_priority, false, evicted, borrow, targets) ||
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
    // Sources lie in the order in which they were found, which decides between equals.
    return order > 0 || (order == 0 && &a > &b);
}

bool ClassicalPreemption::take_from(
    Sources& sources, bool hierarchical, bool evicted, bool borrow, std::vector<Target>& targets) {
    const auto goes_now = [&](const Source& source) {
        return !source.candidates.empty() &&
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
        const WorkloadId workload = source.candidates.front();
        source.candidates.pop();
        if (goes_now(source)) {
            std::ranges::push_heap(heap, after);
        } else {
            heap.pop_back();
        }
        const Variant variant =
            source.found_in ? variant_of(workload, hierarchical) : Variant::within_queue;
        if (take_one({workload, source.found_in, variant}, borrow, targets)) {
            return true;
        }
    }
    return false;
}

bool ClassicalPreemption::take_one(const Candidate& candidate,
                                   bool borrow,
                                   std::vector<Target>& targets) {
    constexpr std::array reasons{PreemptionReason::in_cluster_queue,
                                 PreemptionReason::in_cohort_reclamation,
                                 PreemptionReason::in_cohort_reclamation,
                                 PreemptionReason::in_cohort_reclaim_while_borrowing};
    if (is_skipped(candidate, borrow)) {
        return false;
    }
    search_.take(targets,
                 {candidate.workload, reasons[static_cast<std::size_t>(candidate.variant)]});
    return search_.fits(borrow);
}

}  // namespace berth::core::kueue
