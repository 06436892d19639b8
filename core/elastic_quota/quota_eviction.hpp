#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/elastic_quota/resource_list.hpp"

namespace berth::core {

/// A running pod that may be evicted for its quota's sake.
struct QuotaPod {
    std::int32_t priority = 0;
    std::int64_t start = 0;  ///< Any unit; a later start is less important.
    ResourceList request;
    bool preemptible = true;
};

/// What counts as over-use.
enum class RevokeRules : std::uint8_t {
    documented,  ///< Over in any resource is over.
    /// As the real system counts: once a pod is taken back, only its resources are still looked at,
    /// so that an over-use in another may be forgotten.
    published,
};

/// Which pods of a quota to evict so that it uses at most its runtime: the least important are
/// chosen first, then those that could stay after all are spared, the most important first.
///
/// Shape:   `limit` has the resources that have a runtime.
/// Returns: indices into `pods`, in the order of eviction; all that may be evicted if even that is
///          not enough.
/// Order:   by priority, then by start, the latest first, then by index.
/// Cost:    O(pods x (log pods + resources)).
/// Source:  Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1, "Min Guarantee and
///          Preemption"; its program at a7a1b76b, `quota_overuse_revoke.go`.
[[nodiscard]] std::vector<std::size_t> pods_to_revoke(ResourceList used,
                                                      const ResourceList& limit,
                                                      const std::vector<QuotaPod>& pods,
                                                      RevokeRules rules);

/// A node and a quota as a preemptor sees them.
struct PreemptionView {
    ResourceList request;    ///< Of the preemptor.
    ResourceList available;  ///< On the node; a resource it lacks has none.
    ResourceList used;       ///< By the quota.
    ResourceList limit;      ///< Of the quota; a resource it lacks has none.
    ResourceList counted;    ///< The resources that count for the quota (the amounts do not).
};

/// The result of the search for victims on a node.
enum class PreemptionCode : std::uint8_t {
    success,
    unschedulable,  ///< Too little even without all of them.
    unresolvable,   ///< Nobody there may be preempted.
    error,          ///< The published program takes a pod out twice here, and gives up the node.
};

struct Victims {
    PreemptionCode code = PreemptionCode::success;
    std::vector<std::size_t> pods;  ///< Indices, in the order they failed to be spared.
};

using ServesWithout = std::function<bool(std::span<const std::size_t> gone)>;

/// The victims on one node: all `pods` (of the preemptor's quota, of lower priority, preemptible)
/// are taken out, then each is put back, the most important first, unless the preemptor would not
/// fit any more or its quota would be exceeded in what it asks for. `serves`, if it is given, says
/// whether the node has what the preemptor asks for besides amounts, without the pods of these
/// indices.
///
/// Cost:   O(pods x (log pods + resources)), and a call of `serves` for each pod.
/// Source: Koordinator a7a1b76b, `preempt.go`, SelectVictimsOnNode; the document's "existUsed -
///         preempted + preempt smaller than runtime".
[[nodiscard]] Victims select_victims(PreemptionView view,
                                     const std::vector<QuotaPod>& pods,
                                     const ServesWithout& serves = nullptr);

}  // namespace berth::core
