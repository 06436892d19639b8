#include "schedulers/kueue/decide/place_assigner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/support/text.hpp"

namespace berth::core::kueue {
namespace {

bool has_topology(const Cache& cache, FlavorId flavor) {
    return cache.topologies() != nullptr && cache.topologies()->has(flavor);
}

/// The flavors with a topology that a pod set got, sorted by name.
std::vector<FlavorId> flavors_with_topology(const Cache& cache, const PodSetAssignment& set) {
    std::set<FlavorId> found;
    for (const auto& [resource, flavor] : set.flavors) {
        if (has_topology(cache, flavor.flavor)) {
            found.insert(flavor.flavor);
        }
    }
    std::vector<FlavorId> flavors(found.begin(), found.end());
    std::ranges::sort(
        flavors, {}, [&](FlavorId flavor) -> const std::string& { return cache.names()[flavor]; });
    return flavors;
}

/// Pods that are to be placed by topology need exactly one flavor that has a topology.
void refuse_without_one_flavor(const Cache& cache,
                               const Workload& workload,
                               Assignment& assignment) {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        PodSetAssignment& set = assignment.pod_sets[i];
        if (!is_placed_by_topology(cache, *workload.queue, workload.pod_sets[i])) {
            continue;
        }
        const std::vector<FlavorId> flavors = flavors_with_topology(cache, set);
        if (flavors.size() == 1) {
            continue;
        }
        std::vector<std::string> names;
        for (const FlavorId flavor : flavors) {
            names.push_back(cache.names()[flavor]);
        }
        set.reasons.push_back(names.empty() ? "no TAS flavor assigned"
                                            : fmt::format("more than one TAS flavor assigned: {}",
                                                          join(names, ", ")));
        set.set_mode(AssignmentMode::no_fit);
    }
}

void give(std::span<const PlaceRequest> requests, FoundPlaces found, Assignment& assignment) {
    for (std::size_t i = 0; i < found.places.size(); ++i) {
        PodSetAssignment& set = assignment.pod_sets[requests[i].pod_set];
        set.places = std::move(found.places[i]);
        set.placed_on = requests[i].flavor;
    }
}

/// Records that a flavor will not do, since even an empty cluster has no places on its nodes.
void note_failure(const FoundPlaces::Failure& failure, Assignment& assignment) {
    PodSetAssignment& set = assignment.pod_sets[failure.request.pod_set];
    for (FlavorAttempt& attempt : set.attempts) {
        if (attempt.flavor == failure.request.flavor) {
            attempt.mode = AssignmentMode::no_fit;
            attempt.reason = NoFitReason::topology_placement_failed;
        }
    }
    set.set_mode(AssignmentMode::no_fit);
}

}  // namespace

bool is_placed_by_topology(const Cache& cache, QuotaNode queue, const PodSet& set) {
    return set.topology.has_value() || cache.has_topologies_only(queue);
}

std::string topology_mismatch(const Cache& cache,
                              QuotaNode queue,
                              const PodSet& set,
                              const ResourceAmounts& asked,
                              FlavorId flavor) {
    const std::string& name = cache.names()[flavor];
    if (!is_placed_by_topology(cache, queue, set)) {
        return has_topology(cache, flavor)
                   ? fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", name)
                   : std::string();
    }
    if (!set.topology) {
        return {};
    }
    if (!has_topology(cache, flavor)) {
        // A flavor that gives none of what the pods ask for is accepted.
        const bool overlaps = std::ranges::any_of(asked, [&](const auto& request) {
            const ResourceGroup* group = cache.queue(queue).group_of(request.first);
            return group != nullptr &&
                   std::ranges::find(group->flavors, flavor) != group->flavors.end();
        });
        return overlaps
                   ? fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling", name)
                   : std::string();
    }
    return cache.topologies()->has_levels(flavor, *set.topology)
               ? std::string()
               : fmt::format("Flavor \"{}\" does not contain the requested level", name);
}

std::vector<PlaceRequest> place_requests(const Cache& cache,
                                         const Workload& workload,
                                         const Assignment& assignment) {
    std::vector<PlaceRequest> requests;
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        const PodSetAssignment& set = assignment.pod_sets[i];
        const PodSet& asked = workload.pod_sets[i];
        if (set.count == 0 || !is_placed_by_topology(cache, *workload.queue, asked)) {
            continue;
        }
        const std::vector<FlavorId> flavors = flavors_with_topology(cache, set);
        if (flavors.size() == 1) {
            requests.push_back({i, flavors.front(), set.count, !asked.topology});
        }
    }
    return requests;
}

void assign_places(Cache& cache, const Workload& workload, Assignment& assignment) {
    if (cache.topologies() == nullptr || assignment.mode() == AssignmentMode::no_fit) {
        return;
    }
    refuse_without_one_flavor(cache, workload, assignment);
    const std::vector<PlaceRequest> requests = place_requests(cache, workload, assignment);
    if (requests.empty()) {
        return;
    }
    FlavorTopologies& topologies = *cache.topologies();
    if (assignment.mode() == AssignmentMode::fit) {
        FoundPlaces found = topologies.find(workload, requests, false);
        if (!found.failure) {
            give(requests, std::move(found), assignment);
            return;
        }
        PodSetAssignment& set = assignment.pod_sets[found.failure->request.pod_set];
        set.reasons.push_back(found.failure->reason);
        set.set_mode(AssignmentMode::preempt);
    }
    if (assignment.mode() != AssignmentMode::preempt) {
        return;
    }
    const FoundPlaces found = topologies.find(workload, requests, true);
    if (found.failure) {
        note_failure(*found.failure, assignment);
        return;
    }
    // There may be quota for all that is asked for, but in pieces.
    for (const PlaceRequest& request : requests) {
        assignment.pod_sets[request.pod_set].set_mode(AssignmentMode::preempt);
    }
}

void assign_places_to_come(Cache& cache,
                           const Workload& workload,
                           std::span<const Target> targets,
                           Assignment& assignment) {
    if (cache.topologies() == nullptr || assignment.mode() != AssignmentMode::preempt) {
        return;
    }
    const std::vector<PlaceRequest> requests = place_requests(cache, workload, assignment);
    if (requests.empty()) {
        return;
    }
    for (const Target& target : targets) {
        cache.take_out(target.workload);
    }
    give(requests, cache.topologies()->find(workload, requests, targets.empty()), assignment);
    for (const Target& target : targets) {
        cache.put_back(target.workload);
    }
}

bool places_have_room(const Cache& cache, const Workload& workload, const Assignment& assignment) {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        const PodSetAssignment& set = assignment.pod_sets[i];
        if (set.places &&
            !cache.topologies()->has_room(set.placed_on, workload.pod_sets[i], *set.places)) {
            return false;
        }
    }
    return true;
}

void take_places(Cache& cache, const Workload& workload, const Assignment& assignment) {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        const PodSetAssignment& set = assignment.pod_sets[i];
        if (set.places) {
            cache.topologies()->add_usage(set.placed_on, workload.pod_sets[i], *set.places);
        }
    }
}

}  // namespace berth::core::kueue
