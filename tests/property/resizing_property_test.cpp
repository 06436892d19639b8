// Compares resizing with enumeration: constraints that cannot all be met are missed by as little as
// possible.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/placement/placement_exact.hpp"
#include "tests/support/random_cluster.hpp"
#include "tests/support/random_group.hpp"

using namespace berth;
using core::Affinity;
using core::LevelConstraint;
using core::Members;
using tests::Counts;
using tests::Dice;

namespace {

Counts with_inner_nodes(const Counts& servers, const core::Topology& tree) {
    Counts counts;
    for (const auto& [server, count] : servers) {
        for (core::NodeId at = server; count > 0; at = tree.parent(at)) {
            counts[at] += count;
            if (at == tree.root()) {
                break;
            }
        }
    }
    return counts;
}

/// The number of members by which a node misses what its level asks for.
Members missed_by_members(Members count, const LevelConstraint& own) {
    Members missed = count % own.factor;
    if (own.hard && own.affinity == Affinity::spread) {
        missed += count - 1;
    }
    if (own.range && count < own.range->min) {
        missed += own.range->min - count;
    }
    if (own.range && count > own.range->max) {
        missed += count - own.range->max;
    }
    return missed;
}

/// The number of members and nodes by which all constraints together are missed.
Members missed_by(const Counts& servers,
                  const core::GroupRequest& group,
                  const core::Topology& tree) {
    const Counts counts = with_inner_nodes(servers, tree);
    std::uint32_t one_node_levels = 0;
    for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
        const LevelConstraint& own = group.constraints.at(core::Level{level});
        if (own.hard && own.affinity == Affinity::pack && own.scope == core::Scope::group) {
            one_node_levels = level + 1;
        }
    }
    Members missed = 0;
    for (const auto& [node, count] : counts) {
        const std::uint32_t level = tree.level_of(node).index;
        missed += missed_by_members(count, group.constraints.at(core::Level{level}));
        if (tree.is_server(node)) {
            continue;
        }
        const LevelConstraint& below = group.constraints.at(core::Level{level + 1});
        const auto used = std::ranges::count_if(
            tree.children(node), [&](core::NodeId child) { return counts.contains(child); });
        if ((below.hard && below.affinity == Affinity::pack) || level + 1 < one_node_levels) {
            missed += used - 1;
        }
        if (below.partitions > 0) {
            missed += std::abs(used - static_cast<std::ptrdiff_t>(below.partitions));
        }
    }
    return missed;
}

/// The number by which constraints are missed, then the cost by level.
using Badness = std::pair<Members, std::vector<Members>>;

/// The least number of members that a server keeps, and the greatest number that it can take.
struct Room {
    core::NodeId server;
    Members least = 0;
    Members most = 0;
};

/// The least badness of all ways to place `size` members on the servers.
Badness least_badness(const std::vector<Room>& rooms,
                      Members size,
                      const core::GroupRequest& group,
                      const core::Topology& tree) {
    std::optional<Badness> least;
    Counts counts;
    const std::function<void(std::size_t, Members)> choose = [&](std::size_t at, Members left) {
        if (at == rooms.size()) {
            if (left == 0) {
                const Badness here{missed_by(counts, group, tree),
                                   tests::cost_of(counts, group, tree)};
                least = least ? std::min(*least, here) : here;
            }
            return;
        }
        const Room& room = rooms[at];
        for (Members count = room.least; count <= std::min(room.most, left); ++count) {
            counts[room.server] = count;
            choose(at + 1, left - count);
        }
        counts[room.server] = 0;
    };
    choose(0, size);
    REQUIRE(least.has_value());
    return *least;
}

/// A running group, on servers that are also used by others.
struct RunningGroup : tests::Case {
    std::vector<core::PlacedNode> held;
    Members members = 0;

    explicit RunningGroup(Dice& dice) : Case(dice) {
        const core::FitIndex before(ledger, {1}, core::NumFit::percolated);
        held = core::servers_of(core::place_exact(group, before), *tree);
        for (const core::PlacedNode& server : held) {
            ledger.claim(tree->server_of(server.node), std::vector<core::Amount>{1}, server.count);
            members += server.count;
        }
    }

    [[nodiscard]] std::vector<Room> rooms_to_shrink() const {
        std::vector<Room> rooms;
        for (const core::PlacedNode& server : held) {
            rooms.push_back({server.node, 0, server.count});
        }
        return rooms;
    }
    [[nodiscard]] std::vector<Room> rooms_to_grow(const core::FitIndex& fits) const {
        std::vector<Room> rooms;
        for (const core::NodeId node : tree->level_nodes(tree->server_level())) {
            rooms.push_back({node, 0, std::max<Members>(fits.fit(node), 0)});
            for (const core::PlacedNode& server : held) {
                if (server.node == node) {
                    rooms.back().least = server.count;
                    rooms.back().most += server.count;
                }
            }
        }
        return rooms;
    }
};

/// Returns whether any constraint had to be missed.
bool check_resized(const RunningGroup& running,
                   const core::GroupRequest& resized,
                   const core::FitIndex& fits,
                   const std::vector<Room>& rooms) {
    const core::LogicalTree placement = core::resize_group(resized, fits, running.held);
    const Counts counts = tests::counts_of(placement, *running.tree);
    const Badness found{missed_by(counts, resized, *running.tree),
                        tests::cost_of(counts, resized, *running.tree)};
    REQUIRE(found == least_badness(rooms, placement.placed(), resized, *running.tree));
    return found.first > 0;
}

}  // namespace

TEST_CASE("resizing: what cannot hold is missed by the least, at the least cost",
          "[property][placement]") {
    int missed = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const RunningGroup running(dice);
        if (running.tree->server_count() > 7 || running.members == 0) {
            continue;
        }
        const core::FitIndex fits(running.ledger, {1}, core::NumFit::percolated);
        core::GroupRequest resized = running.group;
        if (running.members > 1) {
            resized.size = dice.roll(1, running.members - 1);
            missed += check_resized(running, resized, fits, running.rooms_to_shrink()) ? 1 : 0;
        }
        resized.size = running.members + dice.roll(1, 3);
        missed += check_resized(running, resized, fits, running.rooms_to_grow(fits)) ? 1 : 0;
    }
    CHECK(missed > 200);
}
