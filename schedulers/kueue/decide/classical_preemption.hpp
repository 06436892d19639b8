#pragma once

#include <optional>
#include <vector>

#include "schedulers/kueue/decide/queue_candidates.hpp"

namespace berth::core::kueue {

/// Chooses the workloads to preempt when fair sharing is off: workloads of the own queue by its
/// policy, and those of queues of the cohort that use more than their own quota.
///
/// Cost:   the workloads that are taken out, and O(queues of the tree that borrow) if other queues
///         are asked too. No workload is taken out if there is no room even without all candidates,
///         and a queue is left as soon as it no longer borrows.
/// Source: Kueue, pkg/scheduler/preemption/preemption.go, classicalPreemptions, and classical/.
class ClassicalPreemption {
public:
    explicit ClassicalPreemption(PreemptionSearch& search) : search_(search) {}
    std::vector<Target> find();

private:
    /// The candidates of one queue.
    struct Source {
        QueueCandidates candidates;
        QuotaNode queue;
        std::optional<QuotaNode> found_in;  ///< The cohort in whose subtree the queue was found.
        bool is_left = false;               ///< No more candidates of this queue are taken.
    };
    /// A cohort above the preemptor's queue.
    struct Above {
        QuotaNode cohort;
        std::optional<QuotaNode> visited;  ///< The child cohort whose queues were looked at before.
        bool hierarchical = false;
    };
    /// Queues whose candidates are taken in one order, each with the candidates that remain.
    using Sources = std::vector<Source>;
    /// All candidates, in the order in which they are taken.
    struct Found {
        /// Candidates that give back what the preemptor's own side of the tree has quota for.
        Sources hierarchical;
        Sources by_priority;
        Sources own;
    };

    [[nodiscard]] const BorrowWithinCohort& borrowing() const;
    /// Whether a candidate of another queue may be preempted although the preemptor borrows, when
    /// the request does not fit into quota of the preemptor's own side of the tree.
    [[nodiscard]] bool goes_while_borrowing(WorkloadId candidate) const;
    [[nodiscard]] PreemptionReason reason_of(WorkloadId candidate, bool by_priority) const;
    /// The cohorts above the preemptor's queue in whose subtrees queues may have to give back
    /// quota.
    [[nodiscard]] std::vector<Above> cohorts_above() const;
    /// Collects the candidates below a cohort, except those below the child cohort that was visited
    /// before.
    void collect_below(const Above& above);
    void add_source(QuotaNode queue, std::optional<QuotaNode> found_in, Sources& to) const;
    [[nodiscard]] std::vector<bool> attempts() const;
    /// Whether there might be room within the own queue's quota if all of its candidates were
    /// preempted.
    [[nodiscard]] bool may_fit_own_quota() const;
    /// Whether there might be room if all of these were preempted.
    [[nodiscard]] bool may_fit(const Found& all) const;
    /// The candidates that may be preempted while the preemptor borrows, or while it does not.
    [[nodiscard]] Found who_may_go(bool borrow) const;
    /// Whether a queue must not lose any more workloads.
    [[nodiscard]] bool is_spared(const Source& source) const;
    /// Takes candidates until there is room. Returns no targets if there is no room even without
    /// all of them.
    [[nodiscard]] std::vector<Target> attempt(Found left, bool borrow);
    /// Takes candidates of these queues, either those that are being evicted or the others. Returns
    /// whether there is room.
    [[nodiscard]] bool take_from(Sources& sources,
                                 bool by_priority,
                                 bool evicted,
                                 bool borrow,
                                 std::vector<Target>& targets);
    [[nodiscard]] bool goes_after(const Source& a, const Source& b) const;

    PreemptionSearch& search_;
    Found found_;
};

}  // namespace berth::core::kueue
