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
    std::size_t with_room = 0;  ///< How many of them have room for a pod at least.
    std::int64_t most = 0;  ///< How many pods the best of them has room for, of those of the set.
    ServerId server;        ///< A server of the ledger in the first domain with so much room.
};

/// The places that flavors with a topology have in one ledger, from cycle to cycle.
///
/// Pods that run are in the ledger. hold() and let_go() say which of them were placed by topology,
/// for placements on an empty cluster. Workloads have one pod set that is placed: places of several
/// flavors are searched each on its own.
/// Source: Kueue, pkg/cache/scheduler/tas_flavor.go.
class TopologyPlaces final : public FlavorTopologies {
public:
    /// The ledger outlives it; `names`: of flavors, outlive it too.
    TopologyPlaces(const Ledger& ledger, const Names& names);

    /// What `spec` has under `held` is set here.
    void add_flavor(FlavorId flavor, TopologySnapshot::Spec spec);
    [[nodiscard]] const TopologySnapshot& snapshot(FlavorId flavor) const;

    /// The pods of a workload start at its places, or leave them.
    void hold(const Workload& workload);
    void let_go(const Workload& workload);
    /// Its pods are to start there, though the ledger does not have them yet; or no longer are to.
    void reserve(const Workload& workload);
    void cancel(const Workload& workload);
    /// From the highest level down. Cost: O(leaves x levels).
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
        /// The same with what this cycle has taken so far, and without those whom it took out.
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
