#pragma once

#include <optional>

#include "core/elastic_quota/quota_trees.hpp"

namespace berth::core {

/// What a quota's use is held against.
enum class QuotaLimit : std::uint8_t {
    runtime,  ///< Elastic: what the quota may use now.
    max,      ///< As the real system without enableRuntimeQuota.
    min,      ///< Fixed: what it is promised, and no more.
};

/// What a pod is checked against.
struct AdmissionRules {
    QuotaLimit limit = QuotaLimit::runtime;
    bool check_parents = false;  ///< The quotas above it too (enableCheckParentQuota).
    /// The default group's max counts too; the real system ignores it where runtime limits.
    bool default_group_max = true;
};

/// Why a quota does not admit a pod.
struct QuotaRefusal {
    enum class Reason : std::uint8_t {
        limit,   ///< used + request above the quota's runtime (or max).
        min,     ///< The pod cannot be preempted; use by such pods + request above min.
        parent,  ///< used + request above the limit of a quota above.
    };
    Reason reason = Reason::limit;
    QuotaId quota;               ///< The one that refuses.
    std::uint64_t exceeded = 0;  ///< Its resources that are exceeded, one bit each.
};

/// The most that a quota may use now; nothing where nothing limits it.
[[nodiscard]] std::optional<Amount> quota_limit(QuotaTrees& trees,
                                                QuotaId quota,
                                                std::size_t resource,
                                                const AdmissionRules& rules);

/// Why a quota does not admit `pods` more pods of a request; nothing if it does.
///
/// Shape:  `request` is one pod's, by the schema, with a bit in `keys` for each resource that it
///         asks for; the others are checked all the same for the quota itself, which may be above
///         its limit in them.
/// Cost:   O(resources x depth), and what QuotaTrees::runtime costs.
/// Source: Koordinator a7a1b76b, `pkg/scheduler/plugins/elasticquota/plugin.go`, PreFilter.
[[nodiscard]] std::optional<QuotaRefusal> check_admission(QuotaTrees& trees,
                                                          QuotaId quota,
                                                          std::span<const Amount> request,
                                                          std::uint64_t keys,
                                                          Members pods,
                                                          bool preemptible,
                                                          const AdmissionRules& rules);

}  // namespace berth::core
