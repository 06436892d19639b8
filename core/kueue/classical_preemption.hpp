#pragma once

#include <optional>
#include <vector>

#include "core/kueue/queue_candidates.hpp"

namespace berth::core::kueue {

/// Who goes when fair sharing is off: workloads of the own queue by its policy, and those of queues
/// of the cohort that use more than their own quota.
///
/// Source: Kueue, pkg/scheduler/preemption/preemption.go, classicalPreemptions, and classical/.
class ClassicalPreemption {
public:
    explicit ClassicalPreemption(PreemptionSearch& search) : search_(search) {}
    std::vector<Target> find();

private:
    /// By which right a candidate is one.
    enum class Variant : std::uint8_t {
        within_queue,
        hierarchical_reclaim,       ///< The preemptor fits into quota of its own side of the tree.
        reclaim_without_borrowing,  ///< Only as long as the preemptor does not borrow.
        reclaim_while_borrowing,
    };
    struct Candidate {
        WorkloadId workload;
        std::optional<QuotaNode> found_in;  ///< The cohort whose subtree it was found in.
        Variant variant = Variant::within_queue;
    };
    /// The candidates of a queue.
    struct Source {
        QueueCandidates candidates;
        std::optional<QuotaNode> found_in;
    };
    /// Queues whose candidates are taken in one order, each with those that are left.
    using Sources = std::vector<Source>;
    /// In the order in which they are taken: of the two sides of the tree, and of the own queue.
    struct Found {
        Sources hierarchical;
        Sources by_priority;
        Sources own;
    };

    [[nodiscard]] bool may_borrow() const;
    [[nodiscard]] Variant variant_of(WorkloadId candidate, bool hierarchical) const;
    void collect_cohorts();
    /// Candidates below a cohort, but for those below `visited`.
    void collect_below(QuotaNode cohort, std::optional<QuotaNode> visited, bool hierarchical);
    static void add_source(QueueCandidates candidates,
                           std::optional<QuotaNode> found_in,
                           Sources& to);
    [[nodiscard]] std::vector<bool> attempts() const;
    [[nodiscard]] bool is_skipped(const Candidate& candidate, bool borrow) const;
    /// Takes candidates until there is room; nobody if there is none with all of them gone.
    [[nodiscard]] std::vector<Target> attempt(Found left, bool borrow);
    /// Takes those of some queues who are being evicted, or who are not; whether there is room.
    [[nodiscard]] bool take_from(Sources& sources,
                                 bool hierarchical,
                                 bool evicted,
                                 bool borrow,
                                 std::vector<Target>& targets);
    /// Takes a candidate unless it is to be left; whether there is room now.
    [[nodiscard]] bool take_one(const Candidate& candidate,
                                bool borrow,
                                std::vector<Target>& targets);
    [[nodiscard]] bool goes_after(const Source& a, const Source& b) const;

    PreemptionSearch& search_;
    Found found_;
};

}  // namespace berth::core::kueue
