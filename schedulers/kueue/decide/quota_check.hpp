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
    borrowing_limit,  ///< There is quota above the node, but it may not borrow so much.
    quota,            ///< The node is the root, and too little of what it has is unused.
};

/// One node on the path that a request for one resource of a flavor takes, from its queue upwards.
struct QuotaStep {
    QuotaNode node;
    Quota quota;
    Amount total = 0;  ///< The node's own quota, with what is lent to it from below.
    /// How much of `total` is used. Usage beyond what a node keeps to itself also counts above it.
    Amount used = 0;
    Amount available = 0;  ///< The amount that a queue in place of the node could take now.
    Amount asked = 0;      ///< The rest of the request after the nodes below gave what they keep.
    QuotaRefusal refusal = QuotaRefusal::none;

    [[nodiscard]] Amount borrowed() const { return used > total ? minus(used, total) : 0; }
};

/// The path from the queue to the root. The first node that refuses is the one to blame: no node
/// refuses if and only if `amount` is available to the queue.
[[nodiscard]] std::vector<QuotaStep> quota_path(const QuotaTree& tree,
                                                QuotaNode queue,
                                                FlavorResource what,
                                                Amount amount);

/// How well one resource of one flavor would do for a workload.
struct QuotaCheck {
    FlavorResource what;
    Amount amount = 0;     ///< The request, plus what earlier pod sets got of the same.
    Amount most = 0;       ///< The most that its queue could have if nothing were used.
    Amount available = 0;  ///< The amount that its queue could take now.
    FlavorFit fit = FlavorFit::no_fit;
    /// How high the cohort is in which it would borrow; 0: it would not borrow.
    std::int64_t height = 0;
    /// No preemption can make room, because all workloads that may be preempted hold too little.
    bool hopeless = false;
    std::vector<Target> targets;  ///< The workloads that would be preempted for this amount alone.

    [[nodiscard]] bool asked_for_targets() const {
        return fit != FlavorFit::fit && fit != FlavorFit::no_fit;
    }
};

/// Checks whether a workload's queue has quota for an amount, and which workloads would be
/// preempted for it if not. `hopeless`: requests for which no preemption can make room. No search
/// is made for these, and newly found ones are added. nullptr: every search is made.
/// Source: Kueue, pkg/scheduler/flavorassigner/flavorassigner.go, fitsResourceQuota.
[[nodiscard]] QuotaCheck check_quota(Cache& cache,
                                     const WorkloadOrder& order,
                                     const Workload& workload,
                                     FlavorResource what,
                                     Amount amount,
                                     HopelessRequests* hopeless = nullptr);

/// Kueue's message that more is asked for than is available.
[[nodiscard]] std::string unused_quota_reason(const QuotaCheck& check, const Names& names);

}  // namespace berth::core::kueue
