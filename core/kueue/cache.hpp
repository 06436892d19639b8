#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kueue/cluster_queue.hpp"
#include "core/kueue/feature_gates.hpp"
#include "core/kueue/workload.hpp"
#include "core/support/interner.hpp"

namespace berth::core::kueue {

/// A workload that holds quota, numbered in the order in which a cache met them.
using WorkloadId = Id<struct WorkloadTag>;

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

/// When a target with a share of its own may be preempted for a fair share.
enum class FairStrategy : std::uint8_t { less_or_equal_to_final_share, less_than_initial_share };

/// What holds for all queues.
struct Configuration {
    FeatureGates gates;
    /// Fair sharing is on if there are any.
    std::vector<FairStrategy> fair_strategies;
    bool admission_fair_sharing = false;
    bool ignore_undeclared = false;   ///< A resource that a queue does not cover needs no quota.
    bool requeue_by_eviction = true;  ///< Who was evicted before its pods were ready queues anew.

    [[nodiscard]] bool fair_sharing() const { return !fair_strategies.empty(); }
};

/// All objects as they are read.
struct CacheSpec {
    Configuration configuration;
    Names names;
    std::map<FlavorId, ResourceFlavor> flavors;
    std::vector<ClusterQueue> queues;
    std::vector<Cohort> cohorts;  ///< Those that are only named need not be among them.
};

/// The state that decisions are made on: queues, cohorts, flavors, and the workloads that hold
/// quota.
///
/// A queue whose flavors do not all exist, or whose cohorts are in a circle, is not active, as one
/// that is stopped.
/// Source: Kueue, pkg/cache/scheduler/snapshot.go.
class Cache {
public:
    explicit Cache(CacheSpec spec);

    [[nodiscard]] const Configuration& configuration() const { return spec_.configuration; }
    [[nodiscard]] bool gate(FeatureGate gate) const { return spec_.configuration.gates[gate]; }
    [[nodiscard]] const Names& names() const { return spec_.names; }
    [[nodiscard]] const QuotaTree& tree() const { return tree_; }
    [[nodiscard]] QuotaTree& tree() { return tree_; }

    /// Queues have the first numbers of the tree's nodes.
    [[nodiscard]] std::size_t queue_count() const { return spec_.queues.size(); }
    [[nodiscard]] std::optional<QuotaNode> find_queue(std::string_view name) const;
    [[nodiscard]] const ClusterQueue& queue(QuotaNode queue) const {
        return spec_.queues[queue.index];
    }
    [[nodiscard]] bool is_active(QuotaNode queue) const { return active_[queue.index]; }
    /// The ResourceFlavor of a name, or nullptr.
    [[nodiscard]] const ResourceFlavor* flavor(FlavorId flavor) const;

    /// Adds a workload that holds quota, with its usage.
    WorkloadId add_workload(Workload workload);
    /// It holds its quota no longer. Its number may be another's afterwards.
    Workload remove_workload(WorkloadId id);
    /// Its pods are told to stop; it holds its quota until they have.
    void set_evicted(WorkloadId id, Condition evicted, Condition preempted);
    [[nodiscard]] const Workload& workload(WorkloadId id) const { return held_[id.index].workload; }
    [[nodiscard]] const FlavorResourceAmounts& usage(WorkloadId id) const {
        return held_[id.index].usage;
    }
    [[nodiscard]] QuotaNode queue_of(WorkloadId id) const { return *workload(id).queue; }
    /// The workloads of a queue that are not taken out, by name.
    [[nodiscard]] std::vector<WorkloadId> workloads(QuotaNode queue) const;

    /// Takes a workload and its usage out for a while, as if it had been preempted.
    void take_out(WorkloadId id);
    void put_back(WorkloadId id);

private:
    struct Held {
        Workload workload;
        FlavorResourceAmounts usage;
        bool out = false;
    };

    CacheSpec spec_;
    std::vector<bool> active_;  ///< By queue.
    std::map<std::string, QuotaNode, std::less<>> queues_by_name_;
    QuotaTree tree_;
    std::vector<Held> held_;
    std::vector<WorkloadId> free_numbers_;
    std::vector<std::vector<WorkloadId>> by_queue_;  ///< By name.
};

}  // namespace berth::core::kueue
