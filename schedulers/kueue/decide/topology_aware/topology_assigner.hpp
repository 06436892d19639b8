#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/topology_placement.hpp"

namespace berth::core::kueue {

/// Where one pod set is to be, or why it cannot be placed.
struct PodSetPlacement {
    std::string name;
    std::optional<TopologyAssignment> assignment;
    std::string reason;  ///< Empty if there is an assignment.
};

/// Places the pod sets of one workload on the topology of one flavor, each after what the ones
/// before it took; or finds another place for the pods of a failed node.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, FindTopologyAssignmentsForFlavor, and
///         tas_elastic_workloads.go.
class TopologyAssigner {
public:
    /// `empty`: as if there were no pods that were placed by topology. `assumed`: what is taken in
    /// addition to what the ledger knows. `shapes`, with its snapshot, and the workload outlive
    /// this object.
    TopologyAssigner(CountedShapes& shapes,
                     const TopologyWorkload& workload,
                     bool empty,
                     AssumedUsage assumed = {})
        : snapshot_(shapes.snapshot()),
          workload_(workload),
          empty_(empty),
          placer_(shapes),
          assumed_(std::move(assumed)) {}

    /// The placements, in the order of the groups; there are none for groups after the first one
    /// that fails.
    [[nodiscard]] std::vector<PodSetPlacement> assign(std::span<const TopologyPodSet> sets);

private:
    using Group = std::vector<const TopologyPodSet*>;

    [[nodiscard]] static std::vector<Group> groups(std::span<const TopologyPodSet> sets);
    /// These functions return false once a pod set failed.
    bool assign_group(const Group& group);
    bool replace_in(const TopologyPodSet& set);

    /// Whether pods are only added to, or taken from, the assignment of the slice that a growing or
    /// shrinking workload replaces, and it is not placed anew.
    [[nodiscard]] bool is_elastic(const TopologyPodSet& workers,
                                  const TopologyPodSet* leader) const;
    bool assign_elastic(const TopologyPodSet& workers, const TopologyPodSet* leader);
    bool grow(const TopologyPodSet& workers, const TopologyPodSet* leader, std::int64_t more);

    struct Lost;
    /// Moves the pods of the workload's failed node to other places.
    [[nodiscard]] std::string replace(const TopologyPodSet& set, TopologyAssignment& assignment);
    [[nodiscard]] RequiredDomain replacement_domain(const TopologyPodSet& set,
                                                    const TopologyAssignment& kept,
                                                    std::int64_t lost) const;
    [[nodiscard]] std::optional<NodeId> incomplete_domain(const TopologyAssignment& kept,
                                                          std::int64_t lost,
                                                          const SliceLayer& layer) const;

    /// The first value of a domain that no longer exists; nothing if all exist.
    [[nodiscard]] std::optional<std::string> stale(const TopologyAssignment& assignment) const;
    [[nodiscard]] TopologyAssignment merged(const TopologyAssignment& a,
                                            const TopologyAssignment& b) const;
    void assume(const TopologyAssignment& assignment, const TopologyPodSet& set);
    [[nodiscard]] PlacementTask task(const TopologyPodSet& workers,
                                     const TopologyPodSet* leader) const;
    void succeed(const TopologyPodSet& set, TopologyAssignment assignment);
    bool fail(const Group& group, const std::string& reason);

    const TopologySnapshot& snapshot_;
    const TopologyWorkload& workload_;
    bool empty_;
    TopologyPlacer placer_;
    AssumedUsage assumed_;
    std::vector<PodSetPlacement> placements_;
};

}  // namespace berth::core::kueue
