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
    std::size_t pod_set = 0;  ///< The number of the pod set in its workload.
    FlavorId flavor;
    std::int64_t count = 0;
    /// It does not ask for a topology, but all flavors of its queue have one.
    bool implied = false;
};

/// The places of pod sets, in the order of the requests; or the request without places, and why.
struct FoundPlaces {
    struct Failure {
        PlaceRequest request;
        std::string reason;
    };
    std::vector<TopologyAssignment> places;
    std::optional<Failure> failure;
};

/// The flavors that have a topology, as a cycle sees them: with the places that it has given away,
/// and without those of workloads that it has taken out.
///
/// Source: Kueue, pkg/cache/scheduler/clusterqueue_snapshot.go.
class FlavorTopologies {
public:
    FlavorTopologies() = default;
    virtual ~FlavorTopologies() = default;
    FlavorTopologies(const FlavorTopologies&) = delete;
    FlavorTopologies& operator=(const FlavorTopologies&) = delete;

    [[nodiscard]] virtual bool has(FlavorId flavor) const = 0;
    /// Whether all levels that a request names are levels of the flavor's topology.
    [[nodiscard]] virtual bool has_levels(FlavorId flavor,
                                          const TopologyRequest& request) const = 0;

    /// Searches places for all requests. `empty`: as if there were no pod that is placed by
    /// topology.
    [[nodiscard]] virtual FoundPlaces find(const Workload& workload,
                                           std::span<const PlaceRequest> requests,
                                           bool empty) = 0;
    /// Whether each of these places, taken by itself, still has room.
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
