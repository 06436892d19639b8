#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/ledger/ledger.hpp"
#include "core/placement/placement_group.hpp"
#include "core/tree/logical_tree.hpp"
#include "core/tree/topology.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/random_cluster.hpp"

namespace berth::tests {

/// Number of members by server.
using Counts = std::map<core::NodeId, core::Members>;

/// Cost by level, from the top: the number of nodes used where the level packs, the sum of squares
/// where it spreads.
inline std::vector<core::Members> cost_of(const Counts& servers,
                                          const core::GroupRequest& group,
                                          const core::Topology& tree) {
    Counts counts;
    for (auto [node, count] : servers) {
        for (core::NodeId at = node; count > 0; at = tree.parent(at)) {
            counts[at] += count;
            if (at == tree.root()) {
                break;
            }
        }
    }
    std::vector<core::Members> cost(tree.level_count());
    for (const auto& [node, count] : counts) {
        const core::Level level = tree.level_of(node);
        cost[level.index] +=
            group.constraints.at(level).affinity == core::Affinity::pack ? 1 : count * count;
    }
    return cost;
}

/// The number of members that a placement puts on each server.
inline Counts counts_of(const core::LogicalTree& placement, const core::Topology& tree) {
    Counts counts;
    for (const core::PlacedNode& server : core::servers_of(placement, tree)) {
        counts[server.node] = server.count;
    }
    return counts;
}

/// A tree whose servers are partly used, and a group with constraints of every kind.
struct Case {
    std::shared_ptr<const core::Topology> tree;
    core::Ledger ledger;
    core::GroupRequest group;

    explicit Case(Dice& dice)
        : tree(random_tree(dice, static_cast<int>(dice.roll(1, 3)), 3, 4)),
          ledger(tree),
          group{dice.roll(1, 7),
                random_constraints(
                    dice, static_cast<std::uint32_t>(tree->level_count()), dice.chance(50))} {
        for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
            const core::Amount capacity = ledger.capacity(tree->node_of(core::ServerId{server}))[0];
            ledger.occupy(core::ServerId{server},
                          std::vector<core::Amount>{dice.roll(0, capacity)});
        }
        if (dice.chance(15)) {
            const core::Level level{static_cast<std::uint32_t>(
                dice.roll(1, static_cast<std::int64_t>(tree->level_count()) - 1))};
            core::LevelConstraint strict;
            strict.hard = true;
            strict.scope = core::Scope::group;
            group.constraints.set(level, strict);
        }
    }
};

}  // namespace berth::tests
