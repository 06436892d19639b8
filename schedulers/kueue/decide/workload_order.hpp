#pragma once

#include <compare>

#include "schedulers/kueue/decide/cluster_queue.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

class LocalQueueLedger;

/// Since when a workload queues: since it was created, or since it was sent back.
[[nodiscard]] Time queued_since(const Workload& workload, const Configuration& configuration);

/// Who comes before whom: in a queue, in a cycle, and among those who might be preempted.
///
/// Source: Kueue, pkg/workload/workload.go, pkg/scheduler/preemption/common.
class WorkloadOrder {
public:
    /// `now` stands for the time of who got quota that is not written yet. `local_queues` knows
    /// the usage of those queues that workloads share in; nullptr: none of them does.
    WorkloadOrder(const Configuration& configuration,
                  Time now,
                  const LocalQueueLedger* local_queues = nullptr)
        : configuration_(&configuration), now_(now), local_queues_(local_queues) {}

    [[nodiscard]] Time queued_since(const Workload& workload) const {
        return kueue::queued_since(workload, *configuration_);
    }
    /// Whether `a` is offered before `b` of the same queue: by priority, by age, by uid.
    [[nodiscard]] bool queues_before(const Workload& a, const Workload& b) const;
    /// What its LocalQueue used; nothing: that does not count.
    [[nodiscard]] std::optional<double> local_queue_usage(const Workload& workload) const;
    /// Whether `preemptor` may preempt `candidate` under a policy.
    [[nodiscard]] bool may_preempt(const Workload& preemptor,
                                   const Workload& candidate,
                                   PreemptionPolicy policy) const;
    /// Who is preempted first for a workload of `queue`: who is being evicted, then who is of
    /// another queue, then who has the lower priority, then who got quota later.
    [[nodiscard]] std::weak_ordering compare_candidates(const Workload& a,
                                                        const Workload& b,
                                                        QuotaNode queue,
                                                        bool by_local_queue) const;

private:
    const Configuration* configuration_;
    Time now_;
    const LocalQueueLedger* local_queues_;
};

}  // namespace berth::core::kueue
