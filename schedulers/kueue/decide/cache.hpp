#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/interner.hpp"
#include "schedulers/kueue/decide/cluster_queue.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/flavor_topologies.hpp"
#include "schedulers/kueue/decide/held_workloads.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

class LocalQueueLedger;

/// The names of flavors and resources, by number.
struct Names {
    Interner<std::string> flavors;
    Interner<std::string> resources;

    Names() = default;
    Names(const Names& other);
    Names& operator=(const Names&) = delete;
    Names(Names&&) = default;
    Names& operator=(Names&&) = default;
    ~Names() = default;

    [[nodiscard]] FlavorId flavor(std::string name) { return {flavors.number(std::move(name))}; }
    [[nodiscard]] ResourceId resource(std::string name) {
        return {resources.number(std::move(name))};
    }
    [[nodiscard]] const std::string& operator[](FlavorId flavor) const {
        return flavors[flavor.index];
    }
    [[nodiscard]] const std::string& operator[](ResourceId resource) const {
        return resources[resource.index];
    }
};

/// All objects, as they were read.
struct CacheSpec {
    Configuration configuration;
    Names names;
    std::map<FlavorId, ResourceFlavor> flavors;
    std::vector<ClusterQueue> queues;
    std::vector<Cohort> cohorts;  ///< Cohorts that are only named need not be among them.
};

/// Replaces the objects that have the same names, and adds cohorts that did not exist. Each queue
/// must exist already.
void replace_objects(CacheSpec& spec,
                     std::vector<ClusterQueue> queues,
                     const std::vector<Cohort>& cohorts);

/// The cohorts whose parents form a circle, so that they have no root, and the cohorts below them.
[[nodiscard]] std::set<std::string> cohorts_in_circles(const CacheSpec& spec);

/// The state that decisions are made on: queues, cohorts, flavors, and the workloads that hold
/// quota.
///
/// A queue whose flavors do not all exist, or whose cohorts are in a circle, is not active, like a
/// queue that is stopped.
/// Cost:   adding or removing a workload is O(depth + log(workloads of its queue)) for each
///         resource of a flavor that it holds; no query copies any state.
/// Source: Kueue, pkg/cache/scheduler/snapshot.go.
class Cache {
public:
    explicit Cache(CacheSpec spec);

    /// The objects, with the current quotas of the queues.
    [[nodiscard]] const CacheSpec& spec() const { return spec_; }
    [[nodiscard]] const Configuration& configuration() const { return spec_.configuration; }
    [[nodiscard]] bool gate(FeatureGate gate) const { return spec_.configuration.gates[gate]; }
    [[nodiscard]] const Names& names() const { return spec_.names; }
    [[nodiscard]] const QuotaTree& tree() const { return tree_; }
    [[nodiscard]] QuotaTree& tree() { return tree_; }

    /// Queues have the first numbers among the nodes of the tree.
    [[nodiscard]] std::size_t queue_count() const { return spec_.queues.size(); }
    [[nodiscard]] std::optional<QuotaNode> find_queue(std::string_view name) const;
    /// The node of a cohort; nothing if there is none or it is in a circle.
    [[nodiscard]] std::optional<QuotaNode> find_cohort(std::string_view name) const;
    [[nodiscard]] const ClusterQueue& queue(QuotaNode queue) const {
        return spec_.queues[queue.index];
    }
    [[nodiscard]] bool is_active(QuotaNode queue) const { return active_[queue.index]; }
    /// The ResourceFlavor with this name, or nullptr.
    [[nodiscard]] const ResourceFlavor* flavor(FlavorId flavor) const;

    /// The places of flavors with a topology; nullptr if there is no such flavor.
    [[nodiscard]] FlavorTopologies* topologies() const { return topologies_; }
    /// `topologies` outlives the cache, and knows what the cache's workloads hold.
    void set_topologies(FlavorTopologies* topologies);
    /// The usage of LocalQueues; nullptr if none counts.
    [[nodiscard]] const LocalQueueLedger* local_queues() const { return local_queues_; }
    /// `local_queues` outlives the cache.
    void set_local_queues(const LocalQueueLedger* local_queues) { local_queues_ = local_queues; }
    /// Whether all flavors of a queue have a topology.
    [[nodiscard]] bool has_topologies_only(QuotaNode queue) const {
        return topologies_only_[queue.index];
    }

    /// Adds a workload that holds quota, with its usage.
    WorkloadId add_workload(Workload workload);
    /// Removes a workload that no longer holds quota. Its number may be given to another one
    /// afterwards.
    Workload remove_workload(WorkloadId id);
    /// Gives back the quota of pods that a pod set no longer needs. From now on it holds the quota
    /// of `pods` pods, if that is less than before.
    void reclaim_pods(WorkloadId id, std::size_t pod_set, std::int64_t pods);
    /// Records that the pods of a workload are told to stop. It holds its quota until they have
    /// stopped.
    void set_evicted(WorkloadId id, Condition evicted, std::optional<Condition> preempted);
    /// Replaces objects as replace_objects() does. A workload that holds quota keeps it, even if
    /// there is less quota than that now.
    /// Cost: the whole tree is built anew, O(workloads that hold quota).
    void replace(std::vector<ClusterQueue> queues, const std::vector<Cohort>& cohorts);
    /// Sets what a queue has from now on of the flavors and resources of its groups.
    void set_quotas(QuotaNode queue, Quotas quotas);
    [[nodiscard]] const Workload& workload(WorkloadId id) const { return held(id).workload; }
    [[nodiscard]] const FlavorResourceAmounts& usage(WorkloadId id) const { return held(id).usage; }
    [[nodiscard]] QuotaNode queue_of(WorkloadId id) const { return *workload(id).queue; }
    [[nodiscard]] const HeldWorkload& held(WorkloadId id) const { return *held_[id.index]; }
    /// The workloads of a queue, including those that are taken out.
    [[nodiscard]] const HeldWorkloads& held_by(QuotaNode queue) const {
        return by_queue_[queue.index];
    }
    /// The workloads of a queue that are not taken out, by name.
    [[nodiscard]] std::vector<WorkloadId> workloads(QuotaNode queue) const;

    /// A number that changes whenever a workload or a quota in the node's tree of cohorts changes,
    /// but not while workloads are taken out or usage is on trial.
    [[nodiscard]] std::uint64_t version(QuotaNode node) const {
        return versions_[tree_.root(node).index];
    }
    /// Whether no order among workloads depends on the time of the question: all of them have their
    /// time of quota written.
    [[nodiscard]] bool are_written() const { return unwritten_ == 0; }

    /// Takes a workload and its usage out for a while, as if it had been preempted.
    void take_out(WorkloadId id);
    void put_back(WorkloadId id);

private:
    void find_active();
    void find_topologies_only();
    /// Counts a change of quota for each queue of every tree in which a queue or a cohort has one
    /// of these names.
    void count_change_below(const std::set<std::string>& queues,
                            const std::set<std::string>& cohorts);

    CacheSpec spec_;
    std::vector<bool> active_;  ///< Whether each queue is active.
    std::map<std::string, QuotaNode, std::less<>> queues_by_name_;
    QuotaTree tree_;
    FlavorTopologies* topologies_ = nullptr;
    const LocalQueueLedger* local_queues_ = nullptr;
    std::vector<bool> topologies_only_;  ///< Whether all flavors of each queue have a topology.
    std::vector<std::unique_ptr<HeldWorkload>> held_;
    std::vector<WorkloadId> free_numbers_;
    std::vector<HeldWorkloads> by_queue_;
    std::uint64_t added_ = 0;
    /// The number of workloads whose time of quota is not written yet.
    std::uint64_t unwritten_ = 0;
    std::vector<std::uint64_t> versions_;  ///< The version of each tree, by the root.
};

}  // namespace berth::core::kueue
