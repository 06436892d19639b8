#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cluster_queue.hpp"
#include "schedulers/kueue/decide/topology_request.hpp"
#include "schedulers/kueue/decide/workload.hpp"

namespace berth::core::kueue {

/// A pod set that is to be placed by topology, on the nodes of a flavor.
struct PlaceRequest {
    std::size_t pod_set = 0;  ///< Of its workload.
    FlavorId flavor;
    std::int64_t count = 0;
    bool implied = false;  ///< It does not ask for it: all flavors of its queue have a topology.
};

/// Places of pod sets, in the order of the requests; or which one has none, and why.
struct FoundPlaces {
    struct Failure {
        PlaceRequest request;
        std::string reason;
    };
    std::vector<TopologyAssignment> places;
    std::optional<Failure> failure;
};

/// The flavors that have a topology, as a cycle sees them: with the places that it gave away, and
/// without those of workloads that it took out.
///
/// Source: Kueue, pkg/cache/scheduler/clusterqueue_snapshot.go.
class FlavorTopologies {
public:
    FlavorTopologies() = default;
    virtual ~FlavorTopologies() = default;
    FlavorTopologies(const FlavorTopologies&) = delete;
    FlavorTopologies& operator=(const FlavorTopologies&) = delete;

    [[nodiscard]] virtual bool has(FlavorId flavor) const = 0;
    /// Whether all levels that are asked for are among those of the flavor's topology.
    [[nodiscard]] virtual bool has_levels(FlavorId flavor,
                                          const TopologyRequest& request) const = 0;

    /// Searches places for all of them. `empty`: as if no pod placed by topology were there.
    [[nodiscard]] virtual FoundPlaces find(const Workload& workload,
                                           std::span<const PlaceRequest> requests,
                                           bool empty) = 0;
    /// Whether each of these places, on its own, still has room.
    [[nodiscard]] virtual bool has_room(FlavorId flavor,
                                        const PodSet& set,
                                        const TopologyAssignment& places) const = 0;

    /// Takes places, or gives them back, until the cycle is over.
    virtual void add_usage(FlavorId flavor,
                           const PodSet& set,
                           const TopologyAssignment& places) = 0;
    virtual void remove_usage(FlavorId flavor,
                              const PodSet& set,
                              const TopologyAssignment& places) = 0;
    virtual void end_cycle() = 0;
};

}  // namespace berth::core::kueue
