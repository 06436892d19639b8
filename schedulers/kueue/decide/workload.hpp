#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/quota_tree.hpp"
#include "schedulers/kueue/decide/topology_request.hpp"

namespace berth::core::kueue {

/// An instant on any clock that all objects share.
struct Time {
    std::int64_t seconds = 0;
    std::int32_t nanoseconds = 0;  ///< A value from 0 to 999999999.
    friend constexpr auto operator<=>(Time, Time) = default;
};

/// A condition that is true, since when, and why.
struct Condition {
    std::string reason;
    Time since;
};

/// Pods of one workload that are all alike.
struct PodSet {
    std::string name;
    std::int64_t count = 1;
    /// The least number of pods that it is admitted with; `count` unless it may shrink.
    std::int64_t min_count = 1;
    std::string group;  ///< Pod sets of a group get the same flavors.
    std::vector<Toleration> tolerations;
    Labels node_selector;
    std::vector<NodeSelectorTerm> affinity{};
    /// How the pod set asks to be placed by topology; nothing if it does not.
    std::optional<TopologyRequest> topology{};
    /// What one pod takes from its server, by the cluster's schema.
    std::vector<Amount> pod_requests{};
};

/// What all pods of a pod set ask for together, or hold.
struct PodSetResources {
    std::int64_t count = 0;
    ResourceAmounts requests;
    // The rest is for workloads that hold quota.
    ResourceFlavors flavors;
    /// The places of its pods, if they were placed by topology, and the flavor on whose nodes they
    /// are.
    std::optional<TopologyAssignment> places{};
    FlavorId placed_on{};

    /// The same for another number of pods. Amounts for each pod are rounded towards zero.
    [[nodiscard]] PodSetResources scaled_to(std::int64_t pods) const;
};

/// How far the flavors were tried, by pod set and resource: the number of the flavor that was tried
/// last, or -1 if that was the last one there is.
using TriedFlavors = std::vector<boost::container::flat_map<ResourceId, std::int64_t>>;

/// What a workload's last assignment left for the next one.
struct LastAssignment {
    TriedFlavors tried;
    std::int64_t generation = 0;  ///< The generation that its ClusterQueue had then.
    std::int64_t cycle = 0;
    bool requests_changed = false;  ///< It now asks for something other than what was tried.
};

struct Workload {
    std::string name;
    std::string uid;
    std::string queue_name;
    std::optional<QuotaNode> queue;  ///< Nothing: there is no ClusterQueue of that name.
    std::string local_queue;
    std::int64_t priority = 0;
    Time created;
    std::optional<Condition> evicted;
    std::optional<Condition> preempted;
    std::optional<Time> reserved;  ///< The time since which it holds quota.
    bool holds_quota = false;
    std::optional<double> local_queue_usage;
    /// The LocalQueue in a ledger of usage, which replaces the usage given above.
    std::optional<LocalQueueId> shares{};
    bool is_preemptor = false;
    bool preemption_gated = false;
    std::optional<LastAssignment> last;
    /// A number that distinguishes each time that a workload came to wait from every other; 0: it
    /// is not known.
    std::uint64_t offer = 0;
    std::vector<PodSet> pod_sets;
    std::vector<PodSetResources> totals;  ///< One entry for each pod set.

    /// What the workload holds of each flavor's resources.
    [[nodiscard]] FlavorResourceAmounts usage() const;
    [[nodiscard]] bool may_shrink() const;
};

/// Calls `visit` with the flavor, the pod set and the places of each pod set that was placed by
/// topology.
template <class Visit>
void for_each_place(const Workload& workload, const Visit& visit) {
    for (std::size_t i = 0; i < workload.totals.size(); ++i) {
        const PodSetResources& total = workload.totals[i];
        if (total.places) {
            visit(total.placed_on, workload.pod_sets[i], *total.places);
        }
    }
}

}  // namespace berth::core::kueue
