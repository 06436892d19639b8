#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "schedulers/kueue/decide/quota_tree.hpp"

namespace berth::core::kueue {

/// Which workloads a workload may preempt.
enum class PreemptionPolicy : std::uint8_t {
    never,
    /// None either, but candidates are looked for. An object with its defaults filled in never has
    /// it.
    unset,
    lower_priority,
    lower_or_newer_equal_priority,
    any,
};

/// Whether a workload may preempt others of its cohort and borrow at the same time.
struct BorrowWithinCohort {
    bool allowed = false;
    /// A workload with a higher priority is not preempted in this way.
    std::optional<std::int64_t> max_priority_threshold;
};

struct PreemptionPolicies {
    PreemptionPolicy within_cluster_queue = PreemptionPolicy::never;
    PreemptionPolicy reclaim_within_cohort = PreemptionPolicy::never;
    BorrowWithinCohort borrow_within_cohort;
};

/// When the next flavor is tried although this one would do.
struct FlavorFungibility {
    bool borrow_tries_next = false;
    bool preempt_tries_next = true;
    bool prefers_preemption = false;  ///< Preemption over borrowing, not borrowing over preemption.
};

/// Flavors, in the order in which they are tried, for resources that get the same one.
struct ResourceGroup {
    std::vector<ResourceId> resources;
    std::vector<FlavorId> flavors;
};

struct ResourceFlavor {
    Labels node_labels;
    std::vector<Taint> taints;
    std::vector<Toleration> tolerations;
};

enum class QueueingStrategy : std::uint8_t { best_effort_fifo, strict_fifo };

/// Whether a queue admits workloads, and whether those that it admitted keep what they have.
enum class StopPolicy : std::uint8_t { none, hold, hold_and_drain };

using Quotas = boost::container::flat_map<FlavorResource, Quota>;

struct ClusterQueue {
    std::string name;
    std::string cohort;  ///< Empty: none.
    Quotas quotas;
    std::vector<ResourceGroup> groups;
    PreemptionPolicies preemption;
    FlavorFungibility fungibility;
    QueueingStrategy strategy = QueueingStrategy::best_effort_fifo;
    double weight = 1;
    std::int64_t generation = 1;  ///< Grows when quota may have become free.
    StopPolicy stop = StopPolicy::none;
    /// With admission fair sharing, workloads of LocalQueues that used less go first.
    bool shares_by_usage = false;

    /// The group that covers a resource, if any.
    [[nodiscard]] const ResourceGroup* group_of(ResourceId resource) const;
};

struct Cohort {
    std::string name;
    std::string parent;  ///< Empty: none.
    Quotas quotas;
    double weight = 1;
};

}  // namespace berth::core::kueue
