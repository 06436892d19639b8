#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/assignment.hpp"
#include "schedulers/kueue/decide/flavor_topologies.hpp"
#include "schedulers/kueue/decide/preemption.hpp"

namespace berth::core::kueue {

/// Whether a pod set is placed by topology: it asks for it, or its queue has no other flavors.
[[nodiscard]] bool is_placed_by_topology(const Cache& cache, QuotaNode queue, const PodSet& set);

/// Why a pod set that asks for these resources gets no quota of a flavor, because one of the two is
/// placed by topology and the other is not; empty if it may.
[[nodiscard]] std::string topology_mismatch(const Cache& cache,
                                            QuotaNode queue,
                                            const PodSet& set,
                                            const ResourceAmounts& asked,
                                            FlavorId flavor);

/// The pod sets of an assignment for which places are to be found.
[[nodiscard]] std::vector<PlaceRequest> place_requests(const Cache& cache,
                                                       const Workload& workload,
                                                       const Assignment& assignment);

/// Gives an assignment places if quota lets it be a fit. If there are no places now, it becomes one
/// that preempts; if there were none even in an empty cluster, it does not fit.
///
/// Source: Kueue, pkg/scheduler/flavorassigner/flavorassigner.go, assignFlavors.
void assign_places(Cache& cache, const Workload& workload, Assignment& assignment);

/// Gives an assignment that preempts the places that it would have without its targets or, if it
/// has no targets, the places in an empty cluster, so that no workload behind it takes them in this
/// cycle.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, updateAssignmentForTAS.
void assign_places_to_come(Cache& cache,
                           const Workload& workload,
                           std::span<const Target> targets,
                           Assignment& assignment);

/// Whether the places of an assignment still have room.
[[nodiscard]] bool places_have_room(const Cache& cache,
                                    const Workload& workload,
                                    const Assignment& assignment);

/// Takes the places of an assignment until the cycle is over.
void take_places(Cache& cache, const Workload& workload, const Assignment& assignment);

}  // namespace berth::core::kueue
