#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/flavor_mode.hpp"
#include "schedulers/kueue/decide/hopeless_requests.hpp"
#include "schedulers/kueue/decide/preemption.hpp"
#include "schedulers/kueue/decide/quota_tree.hpp"

namespace berth::core::kueue {

/// What refuses a request at a node of the tree.
enum class QuotaRefusal : std::uint8_t {
    none,
    borrowing_limit,  ///< The node has quota above it, and may not borrow so much of it.
    quota,            ///< It is the root, and all that it has is used, or too little of it is not.
};

/// One node on the way that a request for one resource of a flavor goes, from its queue up.
struct QuotaStep {
    QuotaNode node;
    Quota quota;
    Amount total = 0;      ///< Its own quota, with what is lent to it from below.
    Amount used = 0;       ///< Of that: usage beyond what a node keeps to itself counts above, too.
    Amount available = 0;  ///< What a queue with all of the node could take now.
    Amount asked = 0;      ///< What is left of the request, once nodes below gave what they keep.
    QuotaRefusal refusal = QuotaRefusal::none;

    [[nodiscard]] Amount borrowed() const { return used > total ? minus(used, total) : 0; }
};

/// From the queue to the root. The first node that refuses is the one to blame: no node refuses if
/// and only if `amount` is available to the queue.
[[nodiscard]] std::vector<QuotaStep> quota_path(const QuotaTree& tree,
                                                QuotaNode queue,
                                                FlavorResource what,
                                                Amount amount);

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
