#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/queue_candidates.hpp"

namespace berth::core::kueue {

/// Chooses the queue to preempt from, again and again: it goes down from the root to the child with
/// the greatest share until it meets a queue that has candidates.
///
/// Source: Kueue, pkg/scheduler/preemption/fairsharing/ordering.go.
class FairOrder {
public:
    using Candidates = std::map<QuotaNode, QueueCandidates>;
    FairOrder(const Cache& cache,
              const WorkloadOrder& order,
              QuotaNode preemptor,
              Candidates candidates)
        : cache_(cache), order_(order), preemptor_(preemptor), candidates_(std::move(candidates)) {}

    /// The next queue to look at; nothing once all are done.
    [[nodiscard]] std::optional<QuotaNode> next();
    [[nodiscard]] bool has_candidates(QuotaNode queue) const;
    WorkloadId pop(QuotaNode queue);
    /// Leaves a queue out from now on.
    void prune(QuotaNode queue) { pruned_.insert(queue); }

private:
    struct Best {
        std::optional<QuotaNode> node;
        DominantShare share;
    };
    /// The queues directly below a cohort that had candidates in the beginning.
    [[nodiscard]] const std::vector<QuotaNode>& queues_with_candidates(QuotaNode cohort);
    [[nodiscard]] Best best_queue(QuotaNode cohort);
    [[nodiscard]] Best best_cohort(QuotaNode cohort);
    [[nodiscard]] bool preempted_before(QuotaNode a, QuotaNode b) const;

    const Cache& cache_;
    const WorkloadOrder& order_;
    QuotaNode preemptor_;
    Candidates candidates_;
    std::map<QuotaNode, std::vector<QuotaNode>> below_;  ///< See queues_with_candidates().
    std::set<QuotaNode> pruned_;
};

/// Chooses the workloads to preempt under fair sharing: first those whose side of the tree still
/// has no smaller share than the preemptor's, then those whose side had a greater one.
///
/// Source: Kueue, pkg/scheduler/preemption/preemption.go, fairPreemptions.
class FairPreemption {
public:
    explicit FairPreemption(PreemptionSearch& search) : search_(search) {}
    std::vector<Target> find();

private:
    /// The nodes on both sides just below the lowest cohort that is above both queues.
    struct Sides {
        QuotaNode preemptor;
        QuotaNode target;
    };
    /// The candidates of each queue that has any.
    [[nodiscard]] FairOrder::Candidates candidates() const;
    void add_candidates(QuotaNode queue, FairOrder::Candidates& found) const;
    /// Whether there might be room if all of these were preempted.
    [[nodiscard]] bool may_fit(const FairOrder::Candidates& found) const;
    [[nodiscard]] Sides sides(QuotaNode target) const;
    /// Preempts by the first strategy. Candidates that it does not allow are kept for the second
    /// one.
    [[nodiscard]] bool run_first(FairOrder::Candidates candidates);
    /// One step of the first strategy in a queue of another side.
    [[nodiscard]] bool take_by_share(FairOrder& order, QuotaNode queue);
    /// Whether the first strategy is given a second chance: the share of the preemptor's side has
    /// become smaller since workloads of its own queue were taken.
    [[nodiscard]] bool runs_again() const;
    /// The candidates that were kept for another run.
    [[nodiscard]] FairOrder::Candidates retried();
    [[nodiscard]] bool run_second();
    [[nodiscard]] bool take_and_fit(WorkloadId workload, PreemptionReason reason);
    /// Whether the workload fits without its own usage, which is counted while shares are compared.
    [[nodiscard]] bool fits_without_itself();

    PreemptionSearch& search_;
    std::vector<Target> targets_;
    std::vector<WorkloadId> retry_;
};

}  // namespace berth::core::kueue
