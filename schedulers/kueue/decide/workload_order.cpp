#include "schedulers/kueue/decide/workload_order.hpp"

#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "schedulers/kueue/decide/local_queue_ledger.hpp"

namespace berth::core::kueue {
namespace {

Time a_millisecond_later(Time time) {
    constexpr std::int32_t second = 1'000'000'000;
    time.nanoseconds += 1'000'000;
    if (time.nanoseconds >= second && time.seconds < std::numeric_limits<std::int64_t>::max()) {
        return {time.seconds + 1, time.nanoseconds - second};
    }
    return time;
}

}  // namespace

Time queued_since(const Workload& workload, const Configuration& configuration) {
    if (workload.evicted) {
        const std::string& reason = workload.evicted->reason;
        if ((reason == "PodsReadyTimeout" && configuration.requeue_by_eviction) ||
            reason == "AdmissionCheck") {
            return workload.evicted->since;
        }
    }
    if (workload.preempted && workload.preempted->reason == "InCohortReclaimWhileBorrowing" &&
        !configuration.gates[FeatureGate::priority_sorting_within_cohort]) {
        return a_millisecond_later(workload.preempted->since);
    }
    return workload.created;
}

bool WorkloadOrder::queues_before(const Workload& a, const Workload& b) const {
    if (a.priority != b.priority) {
        return a.priority > b.priority;
    }
    return std::forward_as_tuple(queued_since(a), a.uid) <
           std::forward_as_tuple(queued_since(b), b.uid);
}

std::optional<double> WorkloadOrder::local_queue_usage(const Workload& workload) const {
    return workload.shares && local_queues_ != nullptr
               ? std::optional(local_queues_->usage(*workload.shares))
               : workload.local_queue_usage;
}

bool WorkloadOrder::may_preempt(const Workload& preemptor,
                                const Workload& candidate,
                                PreemptionPolicy policy) const {
    const bool lower = preemptor.priority > candidate.priority;
    switch (policy) {
        case PreemptionPolicy::never:
        case PreemptionPolicy::unset:
            return false;
        case PreemptionPolicy::lower_priority:
            return lower;
        case PreemptionPolicy::lower_or_newer_equal_priority:
            return lower || (preemptor.priority == candidate.priority &&
                             queued_since(preemptor) < queued_since(candidate));
        case PreemptionPolicy::any:
            return true;
    }
    return false;
}

std::weak_ordering WorkloadOrder::compare_candidates(const Workload& a,
                                                     const Workload& b,
                                                     QuotaNode queue,
                                                     bool by_local_queue) const {
    if (a.evicted.has_value() != b.evicted.has_value()) {
        return a.evicted ? std::weak_ordering::less : std::weak_ordering::greater;
    }
    if ((a.queue == queue) != (b.queue == queue)) {
        return b.queue == queue ? std::weak_ordering::less : std::weak_ordering::greater;
    }
    if (by_local_queue && a.queue == b.queue && a.local_queue != b.local_queue) {
        const auto usage_a = local_queue_usage(a);
        const auto usage_b = local_queue_usage(b);
        if (usage_a && usage_b && *usage_a != *usage_b) {
            return *usage_a > *usage_b ? std::weak_ordering::less : std::weak_ordering::greater;
        }
    }
    if (a.priority != b.priority) {
        return a.priority <=> b.priority;
    }
    const Time since_a = a.reserved.value_or(now_);
    const Time since_b = b.reserved.value_or(now_);
    return since_a != since_b ? since_b <=> since_a : a.uid <=> b.uid;
}

}  // namespace berth::core::kueue
