#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/preemption.hpp"

namespace berth::core::kueue {

/// The workloads of one queue that may be preempted for a workload, in the order in which they are
/// preempted.
///
/// Cost: the next candidate is found among the workloads that hold something scarce, without
///       looking at those behind it or at those whose priority is too high. Only if the order
///       depends on the usage of local queues, or on a time that is not written yet, all workloads
///       are sorted first.
class QueueCandidates {
public:
    QueueCandidates(const Cache& cache,
                    const WorkloadOrder& order,
                    const Preemptor& preemptor,
                    QuotaNode queue);
    /// The candidates of a list, in its order.
    explicit QueueCandidates(std::vector<WorkloadId> sorted) : sorted_(std::move(sorted)) {
        find_next();
    }

    [[nodiscard]] bool empty() const { return !next_; }
    [[nodiscard]] WorkloadId front() const { return *next_; }
    void pop() { find_next(); }
    /// Also leaves out workloads with a higher priority than this.
    void limit(std::int64_t priority);
    /// No less than what all remaining candidates hold of something scarce.
    [[nodiscard]] Amount hold_at_most(FlavorResource what) const;

private:
    /// The users of one resource of a flavor that are still to come.
    struct Run {
        FlavorResource what;
        const HeldWorkloads* held;
        const HeldWorkloads::InOrder* users;
        HeldWorkloads::InOrder::const_iterator next;
        /// No user with a higher priority is a candidate; nothing: no user is.
        std::optional<std::int64_t> most;
    };
    void sort_all(const WorkloadOrder& order, QuotaNode queue);
    void find_next();
    [[nodiscard]] const HeldWorkload* take_first();
    /// From a user with too high a priority, skips to the end of the users that are being evicted,
    /// or of those that are not.
    static void skip_too_high(Run& run);
    [[nodiscard]] std::optional<std::int64_t> most_priority(const HeldWorkloads& held,
                                                            FlavorResource what,
                                                            PreemptionPolicy policy) const;

    const Cache* cache_ = nullptr;
    const WorkloadOrder* order_ = nullptr;
    const Preemptor* preemptor_ = nullptr;
    boost::container::small_vector<Run, 2> runs_;
    std::vector<WorkloadId> sorted_;
    std::size_t taken_ = 0;  ///< How many of `sorted_` have been the next one.
    std::optional<WorkloadId> next_;
};

}  // namespace berth::core::kueue
