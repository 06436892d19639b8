#pragma once

#include <optional>

#include "core/elastic_quota/quota_trees.hpp"

namespace berth::core {

/// The limit that a quota's use is checked against.
enum class QuotaLimit : std::uint8_t {
    runtime,  ///< Elastic: what the quota may use now.
    max,      ///< The quota's max, as in the real system without enableRuntimeQuota.
    min,      ///< Fixed: what the quota is guaranteed and no more.
};

/// The rules that a pod is checked by.
struct AdmissionRules {
    QuotaLimit limit = QuotaLimit::runtime;
    bool check_parents = false;  ///< Checks the quotas above it too (enableCheckParentQuota).
    /// The max of the default group counts too. The real system ignores it if runtime is the limit.
    bool default_group_max = true;
};

/// Why a quota does not admit a pod.
struct QuotaRefusal {
    enum class Reason : std::uint8_t {
        limit,   ///< used + request above the quota's runtime (or max).
        min,     ///< The pod cannot be preempted, and use by such pods + request is above min.
        parent,  ///< used + request is above the limit of a quota above.
    };
    Reason reason = Reason::limit;
    QuotaId quota;               ///< The quota that refuses the pod.
    std::uint64_t exceeded = 0;  ///< The resources in which its limit is exceeded, one bit each.
};

/// The most that a quota may use now; nothing if it has no limit.
[[nodiscard]] std::optional<Amount> quota_limit(QuotaTrees& trees,
                                                QuotaId quota,
                                                std::size_t resource,
                                                const AdmissionRules& rules);

/// Why a quota does not admit `pods` more pods with this request; nothing if it admits them.
///
/// Shape:  `request` is the request of one pod, by the schema, with a bit in `keys` for each
///         resource that it asks for. All other resources are still checked for the quota itself,
///         which may be above its limit in them.
/// Cost:   O(resources x depth), and the cost of QuotaTrees::runtime.
/// Source: Koordinator a7a1b76b, `pkg/scheduler/plugins/elasticquota/plugin.go`, PreFilter.
[[nodiscard]] std::optional<QuotaRefusal> check_admission(QuotaTrees& trees,
                                                          QuotaId quota,
                                                          std::span<const Amount> request,
                                                          std::uint64_t keys,
                                                          Members pods,
                                                          bool preemptible,
                                                          const AdmissionRules& rules);

}  // namespace berth::core
