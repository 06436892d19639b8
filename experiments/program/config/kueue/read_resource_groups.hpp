#pragma once

#include <vector>

#include "core/kueue/cache.hpp"
#include "core/kueue/cluster_queue.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// What `resourceGroups` says.
struct KueueResourceGroups {
    core::kueue::Quotas quotas;
    std::vector<core::kueue::ResourceGroup> groups;
};

/// Whose resource groups they are: limits of a ClusterQueue are held to its quota, and both have
/// none without somebody above.
struct QuotaOwner {
    bool is_queue = true;
    bool has_parent = false;
};

/// Errors: recorded at their places: a resource or a flavor in two groups; a flavor without the
///         resources that its group covers, in their order; an amount below 0; a limit without a
///         cohort, or of more than is there to lend.
/// Source: Kueue, pkg/webhooks/clusterqueue_webhook.go, validateResourceGroups.
[[nodiscard]] KueueResourceGroups read_resource_groups(const core::Value& list,
                                                       QuotaOwner owner,
                                                       core::kueue::Names& names,
                                                       core::Diagnostics& diagnostics);

}  // namespace berth::experiments
