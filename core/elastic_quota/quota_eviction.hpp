#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/elastic_quota/resource_list.hpp"

namespace berth::core {

/// A running pod that may be evicted because of its quota.
struct QuotaPod {
    std::int32_t priority = 0;
    std::int64_t start = 0;  ///< The start time in any unit; a later start is less important.
    ResourceList request;
    bool preemptible = true;
};

/// What counts as over-use.
enum class RevokeRules : std::uint8_t {
    documented,  ///< A quota that is over its limit in any resource is over.
    /// The count of the real system: once a pod is taken back, only its resources are still looked
    /// at, so that over-use of another resource may be forgotten.
    published,
};

/// Which pods of a quota to evict so that it uses at most its runtime. The least important pods are
/// chosen first; then those of them that could stay after all are spared, the most important first.
///
/// Shape:   `limit` has the resources that have a runtime.
/// Returns: indices into `pods`, in the order of eviction; all pods that may be evicted if even
///          that is not enough.
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
    ResourceList request;  ///< The request of the preemptor.
    /// The amounts available on the node; there is none of a resource that it lacks.
    ResourceList available;
    ResourceList used;     ///< The use of the quota.
    ResourceList limit;    ///< The limit of the quota; a resource that it lacks is unlimited.
    ResourceList counted;  ///< The resources that count for the quota (the amounts do not matter).
};

/// The result of the search for victims on a node.
enum class PreemptionCode : std::uint8_t {
    success,
    unschedulable,  ///< Even without all of these pods there is too little.
    unresolvable,   ///< No pod there may be preempted.
    error,          ///< The published program takes a pod out twice here and gives up the node.
};

struct Victims {
    PreemptionCode code = PreemptionCode::success;
    /// Indices, in the order in which the pods could not be spared.
    std::vector<std::size_t> pods;
};

using ServesWithout = std::function<bool(std::span<const std::size_t> gone)>;

/// The victims on one node. All `pods` (of the preemptor's quota, of lower priority, preemptible)
/// are taken out, then each is put back, the most important first, unless the preemptor would not
/// fit any more or its quota would be exceeded in a resource that it asks for. `serves`, if given,
/// says whether the node has whatever else the preemptor asks for besides amounts, without the pods
/// of these indices.
///
/// Cost:   O(pods x (log pods + resources)), and one call of `serves` for each pod.
/// Source: Koordinator a7a1b76b, `preempt.go`, SelectVictimsOnNode; the document's "existUsed -
///         preempted + preempt smaller than runtime".
[[nodiscard]] Victims select_victims(PreemptionView view,
                                     const std::vector<QuotaPod>& pods,
                                     const ServesWithout& serves = nullptr);

}  // namespace berth::core
