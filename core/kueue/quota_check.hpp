#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kueue/flavor_mode.hpp"
#include "core/kueue/hopeless_requests.hpp"
#include "core/kueue/preemption.hpp"

namespace berth::core::kueue {

/// How one resource of one flavor would do for a workload.
struct QuotaCheck {
    FlavorResource what;
    Amount amount = 0;     ///< What is asked for, with what its pod sets before got of the same.
    Amount most = 0;       ///< What its queue could have if nothing were used.
    Amount available = 0;  ///< What its queue could take now.
    FlavorFit fit = FlavorFit::no_fit;
    std::int64_t height = 0;  ///< How high the cohort is in which it would borrow; 0: it would not.
    /// Nobody can make room, because all who may be preempted hold too little.
    bool hopeless = false;
    std::vector<Target> targets;  ///< Who would go for this amount alone.

    [[nodiscard]] bool asked_for_targets() const {
        return fit != FlavorFit::fit && fit != FlavorFit::no_fit;
    }
};

/// Checks whether a workload's queue has quota for an amount, and who would go for it if not.
/// `hopeless`: requests for which nobody can make room, which are not searched for and are added
/// to; nullptr: every search is made.
/// Source: Kueue, pkg/scheduler/flavorassigner/flavorassigner.go, fitsResourceQuota.
[[nodiscard]] QuotaCheck check_quota(Cache& cache,
                                     const WorkloadOrder& order,
                                     const Workload& workload,
                                     FlavorResource what,
                                     Amount amount,
                                     HopelessRequests* hopeless = nullptr);

/// That more is asked for than is available, as Kueue says it.
[[nodiscard]] std::string unused_quota_reason(const QuotaCheck& check, const Names& names);

}  // namespace berth::core::kueue
