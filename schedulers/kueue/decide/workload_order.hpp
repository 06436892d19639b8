#pragma once

#include <compare>

#include "schedulers/kueue/decide/cluster_queue.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

class LocalQueueLedger;

/// The time since which a workload is queued: since it was created, or since it was sent back.
[[nodiscard]] Time queued_since(const Workload& workload, const Configuration& configuration);

/// Which workload comes before another: in a queue, in a cycle, and among candidates for
/// preemption.
///
/// Source: Kueue, pkg/workload/workload.go, pkg/scheduler/preemption/common.
class WorkloadOrder {
public:
    /// `now` stands for the time at which a workload got quota if that is not written yet.
    /// `local_queues` has the usage of the LocalQueues that workloads share; nullptr: they share
    /// none.
    WorkloadOrder(const Configuration& configuration,
                  Time now,
                  const LocalQueueLedger* local_queues = nullptr)
        : configuration_(&configuration), now_(now), local_queues_(local_queues) {}

    [[nodiscard]] Time queued_since(const Workload& workload) const {
        return kueue::queued_since(workload, *configuration_);
    }
    /// Whether `a` is offered before `b` of the same queue: by priority, by age, by uid.
    [[nodiscard]] bool queues_before(const Workload& a, const Workload& b) const;
    /// The usage of its LocalQueue; nothing if that does not count.
    [[nodiscard]] std::optional<double> local_queue_usage(const Workload& workload) const;
    /// Whether `preemptor` may preempt `candidate` under a policy.
    [[nodiscard]] bool may_preempt(const Workload& preemptor,
                                   const Workload& candidate,
                                   PreemptionPolicy policy) const;
    /// The order in which workloads are preempted for a workload of `queue`: first those that are
    /// being evicted, then those of other queues, then those with a lower priority, then those that
    /// got quota later.
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
