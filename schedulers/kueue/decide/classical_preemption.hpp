#pragma once

#include <optional>
#include <vector>

#include "schedulers/kueue/decide/queue_candidates.hpp"

namespace berth::core::kueue {

/// Who goes when fair sharing is off: workloads of the own queue by its policy, and those of queues
/// of the cohort that use more than their own quota.
///
/// Cost:   who goes, and who is taken and put back again; and O(queues of the tree that borrow),
///         where more than the own queue is asked. Nobody is taken where there is no room even
///         without all candidates, and a queue is left as soon as it borrows no longer.
/// Source: Kueue, pkg/scheduler/preemption/preemption.go, classicalPreemptions, and classical/.
class ClassicalPreemption {
public:
    explicit ClassicalPreemption(PreemptionSearch& search) : search_(search) {}
    std::vector<Target> find();

private:
    /// The candidates of a queue.
    struct Source {
        QueueCandidates candidates;
        QuotaNode queue;
        std::optional<QuotaNode> found_in;  ///< The cohort in whose subtree the queue was found.
        bool is_left = false;               ///< No more of the queue's candidates are taken.
    };
    /// A cohort above the preemptor's queue.
    struct Above {
        QuotaNode cohort;
        std::optional<QuotaNode> visited;  ///< Its child, whose queues were looked at before.
        bool hierarchical = false;
    };
    /// Queues whose candidates are taken in one order, each with those that are left.
    using Sources = std::vector<Source>;
    /// All candidates, in the order in which they are taken.
    struct Found {
        /// Those who give back what the preemptor's own side of the tree has quota for.
        Sources hierarchical;
        Sources by_priority;
        Sources own;
    };

    [[nodiscard]] const BorrowWithinCohort& borrowing() const;
    /// Whether a candidate of another queue may go although the preemptor borrows, where it does
    /// not fit into quota of its own side of the tree.
    [[nodiscard]] bool goes_while_borrowing(WorkloadId candidate) const;
    [[nodiscard]] PreemptionReason reason_of(WorkloadId candidate, bool by_priority) const;
    /// The cohorts above in whose subtrees queues may have to give back.
    [[nodiscard]] std::vector<Above> cohorts_above() const;
    /// Collects the candidates below a cohort, except those below the child that was visited
    /// before.
    void collect_below(const Above& above);
    void add_source(QuotaNode queue, std::optional<QuotaNode> found_in, Sources& to) const;
    [[nodiscard]] std::vector<bool> attempts() const;
    /// Whether there might be room within the own queue's quota, if all of its candidates went.
    [[nodiscard]] bool may_fit_own_quota() const;
    /// Whether there might be room, if all of these went.
    [[nodiscard]] bool may_fit(const Found& all) const;
    /// Those who may go while the preemptor borrows, or while it does not.
    [[nodiscard]] Found who_may_go(bool borrow) const;
    /// Whether a queue is not to lose anybody any more.
    [[nodiscard]] bool is_spared(const Source& source) const;
    /// Takes candidates until there is room. Returns nobody if there is none even with all gone.
    [[nodiscard]] std::vector<Target> attempt(Found left, bool borrow);
    /// Takes candidates of these queues, either those who are being evicted or the others. Returns
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
