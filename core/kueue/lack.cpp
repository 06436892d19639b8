#include "core/kueue/lack.hpp"

#include <algorithm>

namespace berth::core::kueue {
namespace {

bool has_quota(const Entry& entry, const Cache& cache) {
    return std::ranges::all_of(entry.usage(), [&](const auto& part) {
        return part.second <= cache.tree().available(*entry.workload->queue, part.first);
    });
}

Lack lack_without_fit(NoFitReason reason) {
    switch (reason) {
        case NoFitReason::topology_placement_failed:
            return Lack::places;
        case NoFitReason::exceeds_max_quota:
            return Lack::quota_for_good;
        case NoFitReason::no_matching_flavor:
            return Lack::flavor;
        case NoFitReason::none:
        case NoFitReason::waiting_for_quota:
            break;
    }
    return Lack::quota;
}

}  // namespace

Lack lack_of(const Entry& entry, const Cache& cache) {
    if (!entry.nomination) {
        return Lack::active_queue;
    }
    switch (entry.requeue) {
        case RequeueReason::generic:
            return Lack::none;
        case RequeueReason::no_fit:
            return lack_without_fit(entry.nomination->assignment.no_fit_reason);
        case RequeueReason::preemption_no_candidates:
            // Only a flavor with a topology has quota and is not simply taken.
            return has_quota(entry, cache) ? Lack::places : Lack::quota;
        case RequeueReason::pending_preemption:
            return Lack::leaving;
        case RequeueReason::preemption_gated:
        case RequeueReason::failed_after_nomination:
            break;
    }
    return Lack::turn;
}

}  // namespace berth::core::kueue
