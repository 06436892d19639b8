#pragma once

#include <optional>
#include <vector>

#include "core/kueue/preemption.hpp"

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

    [[nodiscard]] bool may_borrow() const;
    [[nodiscard]] Variant variant_of(WorkloadId candidate, bool hierarchical) const;
    void collect_own();
    void collect_cohorts();
    /// Candidates below a cohort, but for those below `visited`.
    void collect_below(QuotaNode cohort, std::optional<QuotaNode> visited, bool hierarchical);
    void collect_queue(QuotaNode queue, QuotaNode cohort, bool hierarchical);
    [[nodiscard]] std::vector<Candidate> in_order();
    [[nodiscard]] std::vector<bool> attempts() const;
    [[nodiscard]] bool is_skipped(const Candidate& candidate, bool borrow) const;
    [[nodiscard]] std::vector<Target> attempt(const std::vector<Candidate>& candidates,
                                              bool borrow);

    PreemptionSearch& search_;
    std::vector<Candidate> own_;
    std::vector<Candidate> hierarchical_;
    std::vector<Candidate> by_priority_;
};

}  // namespace berth::core::kueue
