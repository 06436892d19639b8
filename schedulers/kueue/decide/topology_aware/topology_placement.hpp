#pragma once

#include <optional>
#include <string>

#include "schedulers/kueue/decide/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Where a pod set, and the leader that goes with it, are to be; or why there is no place.
struct TopologyPlacement {
    TopologyAssignment workers;
    std::optional<TopologyAssignment> leader;
    std::string failure;  ///< Empty if there is a place.
};

/// Places pods of one pod set, and the pod of its leader if there is one.
///
/// First the counts of all domains are brought up to date, then domains of one level are chosen
/// that take all pods, then the choice is narrowed down level by level to the leaves below.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, findTopologyAssignment.
class TopologyPlacer {
public:
    /// Places the pod sets of one workload. `shapes` outlives this object.
    explicit TopologyPlacer(CountedShapes& shapes)
        : snapshot_(shapes.snapshot()), counts_(shapes) {}

    [[nodiscard]] TopologyPlacement place(const PlacementTask& task);

private:
    /// Goes from the level of the chosen domains down to that of slices, over all domains together.
    [[nodiscard]] Domains narrow_to_slices(Domains domains,
                                           std::size_t& level,
                                           const PlacementParameters& parameters);
    /// Goes from there down to the leaves, below each domain by itself.
    [[nodiscard]] Domains narrow_to_leaves(Domains domains,
                                           std::size_t level,
                                           const PlacementParameters& parameters);
    [[nodiscard]] TopologyAssignment assignment(const Domains& leaves, bool of_leader) const;

    const TopologySnapshot& snapshot_;
    DomainCounts counts_;
    NodeFilterCache filters_;
};

}  // namespace berth::core::kueue
