#include "core/topology_aware/topology_placement.hpp"

#include <algorithm>
#include <utility>

#include "core/topology_aware/balanced_placement.hpp"
#include "core/topology_aware/level_search.hpp"

namespace berth::core::kueue {

TopologyPlacement TopologyPlacer::place(const PlacementTask& task) {
    const auto [parameters, failure] = resolve(task, snapshot_);
    if (!failure.empty()) {
        return {{}, std::nullopt, failure};
    }
    counts_.fill(task, parameters, filters_);
    std::optional<BalancedPlacement::Found> balanced;
    if (snapshot_.gate(FeatureGate::balanced_placement) && !parameters.required &&
        !parameters.unconstrained) {
        balanced = BalancedPlacement(counts_, parameters).find();
    }
    FoundDomains found;
    if (balanced) {
        found = {balanced->level, std::move(balanced->domains), ""};
    } else {
        found = LevelSearch(counts_, parameters).find();
        if (!found.failure.empty()) {
            return {{}, std::nullopt, found.failure};
        }
    }
    Domains domains =
        DomainChoice(counts_, parameters)
            .minimum(
                found.domains, parameters.count, parameters.leaders, parameters.slice_size, true);
    if (!balanced) {
        domains = narrow_to_slices(std::move(domains), found.level, parameters);
    }
    const Domains leaves = narrow_to_leaves(std::move(domains), found.level, parameters);
    TopologyPlacement placement;
    placement.workers = assignment(leaves, false);
    if (task.leader != nullptr) {
        placement.leader = assignment(leaves, true);
    }
    return placement;
}

Domains TopologyPlacer::narrow_to_slices(Domains domains,
                                         std::size_t& level,
                                         const PlacementParameters& parameters) {
    DomainChoice choice(counts_, parameters);
    for (; level < std::min(snapshot_.last_level(), parameters.slice_level); ++level) {
        const Domains below = choice.sorted(choice.children(domains), parameters.least_free_first);
        domains = choice.minimum(
            below, parameters.count, parameters.leaders, parameters.slice_size, true);
    }
    return domains;
}

Domains TopologyPlacer::narrow_to_leaves(Domains domains,
                                         std::size_t level,
                                         const PlacementParameters& parameters) {
    DomainChoice choice(counts_, parameters);
    for (; level < snapshot_.last_level(); ++level) {
        const std::int64_t inner = parameters.inner_sizes[level + 1];
        const std::int64_t size = level < parameters.slice_level ? parameters.slice_size
                                  : inner == 0                   ? 1
                                                                 : inner;
        Domains next;
        for (const NodeId domain : domains) {
            const Domains below =
                choice.sorted(choice.children({{domain}}), parameters.least_free_first);
            if (size > 1) {
                for (const NodeId child : below) {
                    DomainState& state = counts_.edit(child);
                    state.slices = state.pods / size;
                    state.slices_with_leader = state.pods_with_leader / size;
                }
            }
            const DomainState& state = counts_[domain];
            const Domains taken = choice.minimum(below, state.pods, state.leaders, size, size > 1);
            next.insert(next.end(), taken.begin(), taken.end());
        }
        domains = std::move(next);
    }
    return domains;
}

TopologyAssignment TopologyPlacer::assignment(const Domains& leaves, bool of_leader) const {
    TopologyAssignment assignment;
    const auto levels = snapshot_.levels();
    assignment.levels.assign(snapshot_.has_nodes() ? levels.end() - 1 : levels.begin(),
                             levels.end());
    Domains order = leaves;
    std::ranges::sort(order);
    for (const NodeId leaf : order) {
        const std::int64_t count = of_leader ? counts_[leaf].leaders : counts_[leaf].pods;
        if (count > 0) {
            assignment.domains.push_back({snapshot_.leaf_values(leaf), count});
        }
    }
    return assignment;
}

}  // namespace berth::core::kueue
