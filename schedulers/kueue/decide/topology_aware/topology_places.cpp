#include "schedulers/kueue/decide/topology_aware/topology_places.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::kueue {
namespace {

TopologyPodSet pod_set_of(const Workload& workload, const PlaceRequest& request) {
    const PodSet& set = workload.pod_sets[request.pod_set];
    TopologyPodSet asked;
    asked.name = set.name;
    asked.count = request.count;
    asked.requests = set.pod_requests;
    asked.implied = request.implied;
    asked.request = set.topology.value_or(TopologyRequest{});
    asked.tolerations = set.tolerations;
    asked.node_selector = set.node_selector;
    if (!set.affinity.empty()) {
        asked.required_affinity = set.affinity;
    }
    return asked;
}

void add(std::vector<Amount>& sums, std::span<const Amount> amounts, std::int64_t count) {
    sums.resize(amounts.size());
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        sums[i] = plus(sums[i], times(amounts[i], count));
    }
}

}  // namespace

TopologyPlaces::TopologyPlaces(const Ledger& ledger, const Names& names)
    : ledger_(ledger), names_(names) {}

void TopologyPlaces::add_flavor(FlavorId flavor, TopologySnapshot::Spec spec) {
    spec.held = held_;
    flavors_.emplace(flavor, std::make_unique<Flavor>(TopologySnapshot(std::move(spec), &ledger_)));
}

TopologyPlaces::Flavor& TopologyPlaces::at(FlavorId flavor) const {
    const auto found = flavors_.find(flavor);
    BERTH_ASSERT(found != flavors_.end(), "the flavor has a topology");
    return *found->second;
}

const TopologySnapshot& TopologyPlaces::snapshot(FlavorId flavor) const {
    return at(flavor).snapshot;
}

void TopologyPlaces::hold(const Workload& workload) {
    change_held(workload, 1);
}

void TopologyPlaces::let_go(const Workload& workload) {
    change_held(workload, -1);
}

void TopologyPlaces::reserve(const Workload& workload) {
    change_reserved(workload, 1);
}

void TopologyPlaces::cancel(const Workload& workload) {
    change_reserved(workload, -1);
}

/// The servers have that much less room for every flavor, since other flavors may have the same
/// servers.
void TopologyPlaces::change_reserved(const Workload& workload, int sign) {
    for_each_place(workload, [&](FlavorId flavor, const PodSet& set, const auto& places) {
        for (const auto& [server, count] : servers(flavor, places)) {
            for (auto& [other, own] : flavors_) {
                if (const auto leaf = own->snapshot.leaf_of(server)) {
                    add(own->assumed[*leaf], set.pod_requests, sign * count);
                }
            }
        }
    });
    for (auto& [flavor, own] : flavors_) {
        std::erase_if(own->assumed, [](const auto& leaf) {
            return std::ranges::all_of(leaf.second, [](Amount amount) { return amount == 0; });
        });
        own->reserved = own->assumed;
    }
}

void TopologyPlaces::change_held(const Workload& workload, int sign) {
    for_each_place(workload, [&](FlavorId flavor, const PodSet& set, const auto& places) {
        for (const auto& [server, count] : servers(flavor, places)) {
            std::vector<Amount>& sums = (*held_)[server];
            add(sums, set.pod_requests, sign * count);
            if (std::ranges::all_of(sums, [](Amount amount) { return amount == 0; })) {
                held_->erase(server);
            }
        }
    });
}

std::map<ServerId, std::int64_t> TopologyPlaces::servers(FlavorId flavor,
                                                         const TopologyAssignment& places) const {
    const TopologySnapshot& snapshot = at(flavor).snapshot;
    std::map<ServerId, std::int64_t> counts;
    for (const TopologyAssignment::Domain& domain : places.domains) {
        if (const auto leaf = snapshot.find_leaf(domain.values)) {
            counts[snapshot.server_of(*leaf)] += domain.count;
        }
    }
    return counts;
}

/// The room for pods of the set on a leaf, at most for all of them.
std::int64_t TopologyPlaces::room_on(const Flavor& flavor, NodeId leaf, const PodSet& set) const {
    const std::vector<Amount> free = flavor.snapshot.free(leaf, false);
    const auto taken = flavor.assumed.find(leaf);
    std::int64_t room = set.count;
    for (std::size_t i = 0; i < set.pod_requests.size(); ++i) {
        if (set.pod_requests[i] > 0) {
            const Amount less = taken == flavor.assumed.end() ? 0 : taken->second[i];
            room = std::min(room, minus(free[i], less) / set.pod_requests[i]);
        }
    }
    return std::max<std::int64_t>(room, 0);
}

std::vector<LevelOfRoom> TopologyPlaces::rooms(FlavorId flavor, const PodSet& set) const {
    const Flavor& own = at(flavor);
    const TopologySnapshot& snapshot = own.snapshot;
    std::vector<std::map<NodeId, std::pair<std::int64_t, ServerId>>> domains(
        snapshot.levels().size());
    for (const NodeId leaf : snapshot.domains(snapshot.last_level())) {
        const std::int64_t room = room_on(own, leaf, set);
        for (std::size_t level = 0; level < domains.size(); ++level) {
            auto& domain =
                domains[level]
                    .try_emplace(
                        snapshot.ancestor(leaf, level), std::int64_t{0}, snapshot.server_of(leaf))
                    .first->second;
            domain.first = std::min(domain.first + room, set.count);
        }
    }
    std::vector<LevelOfRoom> rooms;
    for (std::size_t level = 0; level < domains.size(); ++level) {
        LevelOfRoom& sum = rooms.emplace_back();
        sum.label = snapshot.levels()[level];
        sum.domains = domains[level].size();
        sum.most = -1;
        for (const auto& [node, domain] : domains[level]) {
            sum.with_room += domain.first > 0 ? 1 : 0;
            if (domain.first > sum.most) {
                sum.most = domain.first;
                sum.server = domain.second;
            }
        }
    }
    return rooms;
}

bool TopologyPlaces::has_levels(FlavorId flavor, const TopologyRequest& request) const {
    const TopologySnapshot& snapshot = at(flavor).snapshot;
    const auto has = [&](const std::string& label) {
        return snapshot.find_level(label).has_value();
    };
    const bool has_layers = std::ranges::all_of(
        request.layers, [&](const SliceLayer& layer) { return has(layer.topology); });
    if (request.required || request.preferred) {
        return has_layers && has(request.required ? *request.required : *request.preferred);
    }
    return has_layers && (request.unconstrained || request.is_slices_only());
}

FoundPlaces TopologyPlaces::find(const Workload& workload,
                                 std::span<const PlaceRequest> requests,
                                 bool empty) {
    std::map<std::string, std::vector<std::size_t>> by_flavor;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        by_flavor[names_[requests[i].flavor]].push_back(i);
    }
    FoundPlaces found;
    found.places.resize(requests.size());
    TopologyWorkload placed;
    placed.uid = workload.uid;
    for (const auto& [name, indices] : by_flavor) {
        Flavor& flavor = at(requests[indices.front()].flavor);
        std::vector<TopologyPodSet> sets;
        for (const std::size_t i : indices) {
            sets.push_back(pod_set_of(workload, requests[i]));
        }
        TopologyAssigner assigner(
            flavor.shapes, placed, empty, empty ? AssumedUsage{} : flavor.assumed);
        for (PodSetPlacement& placement : assigner.assign(sets)) {
            const auto at = std::ranges::find_if(indices, [&](std::size_t i) {
                return workload.pod_sets[requests[i].pod_set].name == placement.name;
            });
            if (!placement.assignment) {
                found.failure = {requests[*at], std::move(placement.reason)};
                found.places.clear();
                return found;
            }
            found.places[*at] = std::move(*placement.assignment);
        }
    }
    return found;
}

bool TopologyPlaces::has_room(FlavorId flavor,
                              const PodSet& set,
                              const TopologyAssignment& places) const {
    const Flavor& own = at(flavor);
    return std::ranges::all_of(places.domains, [&](const TopologyAssignment::Domain& domain) {
        const auto leaf = own.snapshot.find_leaf(domain.values);
        if (!leaf) {
            return false;
        }
        const std::vector<Amount> free = own.snapshot.free(*leaf, false);
        const auto taken = own.assumed.find(*leaf);
        for (std::size_t i = 0; i < set.pod_requests.size(); ++i) {
            const Amount less = taken == own.assumed.end() ? 0 : taken->second[i];
            const Amount needed = times(set.pod_requests[i], domain.count);
            if (needed > 0 && minus(free[i], less) < needed) {
                return false;
            }
        }
        return true;
    });
}

void TopologyPlaces::change(FlavorId flavor,
                            const PodSet& set,
                            const TopologyAssignment& places,
                            int sign) {
    Flavor& own = at(flavor);
    for (const TopologyAssignment::Domain& domain : places.domains) {
        if (const auto leaf = own.snapshot.find_leaf(domain.values)) {
            add(own.assumed[*leaf], set.pod_requests, sign * domain.count);
        }
    }
}

void TopologyPlaces::add_usage(FlavorId flavor,
                               const PodSet& set,
                               const TopologyAssignment& places) {
    change(flavor, set, places, 1);
}

void TopologyPlaces::remove_usage(FlavorId flavor,
                                  const PodSet& set,
                                  const TopologyAssignment& places) {
    change(flavor, set, places, -1);
}

void TopologyPlaces::end_cycle() {
    for (auto& [flavor, own] : flavors_) {
        own->assumed = own->reserved;
    }
}

}  // namespace berth::core::kueue
