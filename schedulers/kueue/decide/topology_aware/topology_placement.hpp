#pragma once

#include <optional>
#include <string>

#include "schedulers/kueue/decide/topology_aware/domain_choice.hpp"

namespace berth::core::kueue {

/// Where a pod set, and the leader that goes with it, are to lie; or why nowhere.
struct TopologyPlacement {
    TopologyAssignment workers;
    std::optional<TopologyAssignment> leader;
    std::string failure;  ///< Empty if there is none.
};

/// Places pods of one pod set, and the pod of its leader if there is one.
///
/// First the counts of all domains are brought up to date, then domains of one level are chosen
/// that take all, then what lies below them is narrowed down level by level.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, findTopologyAssignment.
class TopologyPlacer {
public:
    /// For one workload. `shapes` outlives this.
    explicit TopologyPlacer(CountedShapes& shapes)
        : snapshot_(shapes.snapshot()), counts_(shapes) {}

    [[nodiscard]] TopologyPlacement place(const PlacementTask& task);

private:
    /// From the level of chosen domains down to that of slices, over all of them together.
    [[nodiscard]] Domains narrow_to_slices(Domains domains,
                                           std::size_t& level,
                                           const PlacementParameters& parameters);
    /// From there down to the leaves, below each domain on its own.
    [[nodiscard]] Domains narrow_to_leaves(Domains domains,
                                           std::size_t level,
                                           const PlacementParameters& parameters);
    [[nodiscard]] TopologyAssignment assignment(const Domains& leaves, bool of_leader) const;

    const TopologySnapshot& snapshot_;
    DomainCounts counts_;
    NodeFilterCache filters_;
};

}  // namespace berth::core::kueue
