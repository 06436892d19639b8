#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/topology_aware/topology_assigner.hpp"

namespace berth::core::kueue {

/// The room that the domains of one level have for pods of a pod set.
struct LevelOfRoom {
    std::string label;
    std::size_t domains = 0;
    std::size_t with_room = 0;  ///< How many of the domains have room for at least one pod.
    std::int64_t most = 0;  ///< How many of the set's pods the domain with the most room can take.
    ServerId server;        ///< A server of the ledger in the first domain with that much room.
};

/// The places of flavors with a topology in one ledger, from cycle to cycle.
///
/// Pods that run are in the ledger. hold() and let_go() say which of them were placed by topology,
/// for placements on an empty cluster. Workloads have one pod set that is placed by topology:
/// places of several flavors are searched for each flavor by itself.
/// Source: Kueue, pkg/cache/scheduler/tas_flavor.go.
class TopologyPlaces final : public FlavorTopologies {
public:
    /// The ledger and `names`, which has the names of flavors, outlive this object.
    TopologyPlaces(const Ledger& ledger, const Names& names);

    /// `spec.held` is set here.
    void add_flavor(FlavorId flavor, TopologySnapshot::Spec spec);
    [[nodiscard]] const TopologySnapshot& snapshot(FlavorId flavor) const;

    /// The pods of a workload start at its places, or leave them.
    void hold(const Workload& workload);
    void let_go(const Workload& workload);
    /// The pods of a workload are to start at its places, although the ledger does not have them
    /// yet; or this is cancelled.
    void reserve(const Workload& workload);
    void cancel(const Workload& workload);
    /// The room on each level, from the highest level down.
    /// Cost: O(leaves x levels).
    [[nodiscard]] std::vector<LevelOfRoom> rooms(FlavorId flavor, const PodSet& set) const;
    /// How many pods are to start on which servers of the ledger.
    [[nodiscard]] std::map<ServerId, std::int64_t> servers(FlavorId flavor,
                                                           const TopologyAssignment& places) const;

    [[nodiscard]] bool has(FlavorId flavor) const override { return flavors_.contains(flavor); }
    [[nodiscard]] bool has_levels(FlavorId flavor, const TopologyRequest& request) const override;
    [[nodiscard]] FoundPlaces find(const Workload& workload,
                                   std::span<const PlaceRequest> requests,
                                   bool empty) override;
    [[nodiscard]] bool has_room(FlavorId flavor,
                                const PodSet& set,
                                const TopologyAssignment& places) const override;
    void add_usage(FlavorId flavor, const PodSet& set, const TopologyAssignment& places) override;
    void remove_usage(FlavorId flavor,
                      const PodSet& set,
                      const TopologyAssignment& places) override;
    void end_cycle() override;

private:
    struct Flavor {
        explicit Flavor(TopologySnapshot of) : snapshot(std::move(of)), shapes(snapshot) {}
        TopologySnapshot snapshot;
        CountedShapes shapes;
        AssumedUsage reserved;
        /// The same with what this cycle has taken so far, and without the workloads that it took
        /// out.
        AssumedUsage assumed;
    };

    [[nodiscard]] Flavor& at(FlavorId flavor) const;
    [[nodiscard]] std::int64_t room_on(const Flavor& flavor, NodeId leaf, const PodSet& set) const;
    void change(FlavorId flavor, const PodSet& set, const TopologyAssignment& places, int sign);
    void change_reserved(const Workload& workload, int sign);
    void change_held(const Workload& workload, int sign);

    const Ledger& ledger_;
    const Names& names_;
    std::shared_ptr<HeldAmounts> held_ = std::make_shared<HeldAmounts>();
    std::map<FlavorId, std::unique_ptr<Flavor>> flavors_;
};

}  // namespace berth::core::kueue
