#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/preemption.hpp"

namespace berth::core::kueue {

/// Who of one queue may be preempted for a workload, in the order in which they go.
///
/// Cost:   the next one is found among those that hold what is scarce, without looking at those
///         behind; whoever's priority is too high is not looked at. Only where the order depends on
///         usage of local queues, or on a time that is not written yet, all are sorted first.
class QueueCandidates {
public:
    QueueCandidates(const Cache& cache,
                    const WorkloadOrder& order,
                    const Preemptor& preemptor,
                    QuotaNode queue);
    /// Those of a list, in its order.
    explicit QueueCandidates(std::vector<WorkloadId> sorted) : sorted_(std::move(sorted)) {
        find_next();
    }

    [[nodiscard]] bool empty() const { return !next_; }
    [[nodiscard]] WorkloadId front() const { return *next_; }
    void pop() { find_next(); }
    /// Leaves out whoever has a higher priority, too.
    void limit(std::int64_t priority);
    /// No less than what all that are left hold of something scarce.
    [[nodiscard]] Amount hold_at_most(FlavorResource what) const;

private:
    /// Users of one resource of a flavor who are still to come.
    struct Run {
        FlavorResource what;
        const HeldWorkloads* held;
        const HeldWorkloads::InOrder* users;
        HeldWorkloads::InOrder::const_iterator next;
        std::optional<std::int64_t> most;  ///< Who has more priority is no candidate.
    };
    void sort_all(const WorkloadOrder& order, QuotaNode queue);
    void find_next();
    [[nodiscard]] const HeldWorkload* take_first();
    /// From one with too high a priority on to the end of those who are being evicted, or who are
    /// not.
    static void skip_too_high(Run& run);
    [[nodiscard]] std::optional<std::int64_t> most_priority(const HeldWorkloads& held,
                                                            FlavorResource what,
                                                            PreemptionPolicy policy) const;

    const Cache* cache_ = nullptr;
    const WorkloadOrder* order_ = nullptr;
    const Preemptor* preemptor_ = nullptr;
    boost::container::small_vector<Run, 2> runs_;
    std::vector<WorkloadId> sorted_;
    std::size_t taken_ = 0;  ///< So many of `sorted_` have been the next one.
    std::optional<WorkloadId> next_;
};

}  // namespace berth::core::kueue
