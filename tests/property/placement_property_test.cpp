// Compares the exact solver with plain enumeration, the greedy solver with the exact one, and
// resizing with both.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <vector>

#include "core/placement/placement_exact.hpp"
#include "core/placement/placement_group.hpp"
#include "tests/support/random_cluster.hpp"
#include "tests/support/random_group.hpp"

using namespace berth;
using core::Affinity;
using core::LevelConstraint;
using core::Members;
using tests::Case;
using tests::Counts;
using tests::Dice;

namespace {

/// Whether a full assignment obeys every constraint, directly by the rules (semantics section 10).
bool obeys(const Counts& servers, const core::GroupRequest& group, const core::Topology& tree) {
    Counts counts;
    for (auto [node, count] : servers) {
        if (count == 0) {
            continue;
        }
        for (core::NodeId at = node;; at = tree.parent(at)) {
            counts[at] += count;
            if (at == tree.root()) {
                break;
            }
        }
    }
    std::map<std::uint32_t, int> used_on_level;
    for (const auto& [node, count] : counts) {
        const core::Level level = tree.level_of(node);
        const LevelConstraint& own = group.constraints.at(level);
        ++used_on_level[level.index];
        if (own.hard && own.affinity == Affinity::spread && count != 1) {
            return false;
        }
        if (own.range && (count < own.range->min || count > own.range->max)) {
            return false;
        }
        if (count % own.factor != 0 || (level.index == 0 && own.partitions > 1)) {
            return false;
        }
        if (tree.is_server(node)) {
            continue;
        }
        const LevelConstraint& below = group.constraints.at(core::Level{level.index + 1});
        std::uint32_t used = 0;
        for (const core::NodeId child : tree.children(node)) {
            used += counts.contains(child) ? 1 : 0;
        }
        if (below.hard && below.affinity == Affinity::pack && used != 1) {
            return false;
        }
        if (below.partitions > 0 && used != below.partitions) {
            return false;
        }
    }
    for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
        const LevelConstraint& own = group.constraints.at(core::Level{level});
        if (own.hard && own.affinity == Affinity::pack && own.scope == core::Scope::group &&
            used_on_level[level] > 1) {
            return false;
        }
    }
    return true;
}

struct BruteForce {
    /// The greatest number of members that can be placed under all constraints.
    Members most = 0;
    /// The least cost for that number.
    std::vector<Members> cost;
};

BruteForce brute_force(const core::GroupRequest& group,
                       const core::FitIndex& fits,
                       const Counts& claimed = {}) {
    const core::Topology& tree = fits.ledger().topology();
    BruteForce best;
    Counts counts;
    const auto servers = tree.level_nodes(tree.server_level());
    const std::function<void(std::uint32_t, Members)> choose = [&](std::uint32_t at,
                                                                   Members placed) {
        if (at == tree.server_count()) {
            if (placed < best.most || placed == 0 || !obeys(counts, group, tree)) {
                return;
            }
            const auto cost = tests::cost_of(counts, group, tree);
            if (placed > best.most || cost < best.cost) {
                best = {placed, cost};
            }
            return;
        }
        const core::NodeId server = servers[at];
        const auto held = claimed.find(server);
        const Members least = held == claimed.end() ? 0 : held->second;
        const Members most =
            std::min(least + std::max<Members>(fits.fit(server), 0), group.size - placed);
        for (Members count = least; count <= most; ++count) {
            counts[server] = count;
            choose(at + 1, placed + count);
        }
        counts[server] = 0;
    };
    choose(0, 0);
    return best;
}

/// Every inner node counts the members of its children, and no server holds more than fits.
void check_well_formed(const core::LogicalTree& placement, const core::FitIndex& fits) {
    const core::Topology& tree = fits.ledger().topology();
    REQUIRE(core::logical_tree(core::servers_of(placement, tree), tree).nodes == placement.nodes);
}

}  // namespace

TEST_CASE("exact placement: finds what enumeration finds, at the same cost",
          "[property][placement]") {
    int feasible = 0;
    int greedy_full = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(6000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Case random(dice);
        const core::FitIndex fits(random.ledger, {1}, core::NumFit::percolated);
        if (random.tree->server_count() > 9) {
            continue;
        }
        const BruteForce brute = brute_force(random.group, fits);
        const core::LogicalTree exact = core::place_exact(random.group, fits);
        REQUIRE(exact.placed() == brute.most);
        if (brute.most > 0) {
            check_well_formed(exact, fits);
            const Counts counts = tests::counts_of(exact, *random.tree);
            REQUIRE(obeys(counts, random.group, *random.tree));
            REQUIRE(tests::cost_of(counts, random.group, *random.tree) == brute.cost);
        }
        core::GroupPlacer placer;
        const core::LogicalTree greedy = placer.place(random.group, fits);
        check_well_formed(greedy, fits);
        feasible += brute.most == random.group.size ? 1 : 0;
        greedy_full += greedy.placed() == random.group.size ? 1 : 0;
    }
    CHECK(feasible > 500);
    CHECK(greedy_full > 400);  // it misses some, which is why the exact solver exists
}

TEST_CASE("exact placement: members that run stay, and the rest is placed at the least cost",
          "[property][placement]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Case random(dice);
        if (random.tree->server_count() > 8) {
            continue;
        }
        const core::FitIndex before(random.ledger, {1}, core::NumFit::percolated);
        core::GroupRequest half = random.group;
        half.size = (half.size + 1) / 2;
        const auto held = core::servers_of(core::place_exact(half, before), *random.tree);
        Counts claimed;
        for (const core::PlacedNode& server : held) {
            random.ledger.claim(
                random.tree->server_of(server.node), std::vector<core::Amount>{1}, server.count);
            claimed[server.node] = server.count;
        }
        const core::FitIndex fits(random.ledger, {1}, core::NumFit::percolated);
        const core::LogicalTree exact = core::place_exact(random.group, fits, held);
        const BruteForce brute = brute_force(random.group, fits, claimed);
        REQUIRE(exact.placed() == brute.most);
        const Counts counts = tests::counts_of(exact, *random.tree);
        for (const auto& [node, count] : claimed) {
            REQUIRE((exact.placed() == 0 || counts.at(node) >= count));
        }
        if (brute.most > 0) {
            REQUIRE(tests::cost_of(counts, random.group, *random.tree) == brute.cost);
        }
    }
}

TEST_CASE("resizing: nobody moves, and constraints hold when they can", "[property][placement]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Case random(dice);
        if (random.tree->server_count() > 8) {
            continue;
        }
        const core::FitIndex before(random.ledger, {1}, core::NumFit::percolated);
        const auto held = core::servers_of(core::place_exact(random.group, before), *random.tree);
        Members members = 0;
        for (const core::PlacedNode& server : held) {
            random.ledger.claim(
                random.tree->server_of(server.node), std::vector<core::Amount>{1}, server.count);
            members += server.count;
        }
        if (members < 2) {
            continue;
        }
        const core::FitIndex fits(random.ledger, {1}, core::NumFit::percolated);
        core::GroupRequest smaller = random.group;
        smaller.size = dice.roll(1, members - 1);
        const core::LogicalTree shrunk = core::resize_group(smaller, fits, held);
        REQUIRE(shrunk.placed() == smaller.size);
        Counts kept = tests::counts_of(shrunk, *random.tree);
        for (const core::PlacedNode& server : held) {
            REQUIRE(kept[server.node] <= server.count);
        }
        // If any subset obeys the constraints, the chosen one does.
        bool possible = false;
        Counts counts;
        const std::function<void(std::size_t, Members)> choose = [&](std::size_t at, Members left) {
            if (at == held.size()) {
                possible = possible || (left == 0 && obeys(counts, smaller, *random.tree));
                return;
            }
            for (Members count = 0; count <= std::min(held[at].count, left) && !possible; ++count) {
                counts[held[at].node] = count;
                choose(at + 1, left - count);
            }
            counts[held[at].node] = 0;
        };
        choose(0, smaller.size);
        REQUIRE(obeys(tests::counts_of(shrunk, *random.tree), smaller, *random.tree) == possible);

        core::GroupRequest larger = random.group;
        larger.size = members + dice.roll(1, 3);
        const core::LogicalTree grown = core::resize_group(larger, fits, held);
        Counts now = tests::counts_of(grown, *random.tree);
        for (const core::PlacedNode& server : held) {
            REQUIRE(now[server.node] >= server.count);
        }
        REQUIRE(
            grown.placed() ==
            std::min(larger.size, members + std::max<Members>(0, fits.fit(random.tree->root()))));
    }
}

TEST_CASE("greedy placement: soft constraints without options never miss",
          "[property][placement]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        Case random(dice);
        core::GroupRequest soft{
            random.group.size,
            core::LevelConstraints(static_cast<std::uint32_t>(random.tree->level_count()))};
        for (std::uint32_t level = 1; level < random.tree->level_count(); ++level) {
            LevelConstraint constraint;
            constraint.affinity = dice.chance(50) ? Affinity::pack : Affinity::spread;
            soft.constraints.set(core::Level{level}, constraint);
        }
        const core::FitIndex fits(random.ledger, {1}, core::NumFit::percolated);
        core::GroupPlacer placer;
        REQUIRE(placer.place(soft, fits).placed() ==
                std::min(soft.size, fits.fit(random.tree->root())));
    }
}

TEST_CASE("greedy placement: wide nodes are searched as narrow ones are", "[property][placement]") {
    // A wide node keeps its children sorted, a narrow one sorts those that it needs: a tree with
    // one more level of single children above the servers must give the same answers in the other
    // way.
    for (std::uint64_t seed = 1; seed <= tests::cases(200); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto wide = tests::random_tree(dice, 1, 150, 6);
        core::Ledger ledger(wide);
        for (std::uint32_t server = 0; server < wide->server_count(); ++server) {
            ledger.occupy(core::ServerId{server}, std::vector<core::Amount>{dice.roll(0, 8)});
        }
        core::GroupRequest group{dice.roll(1, 60), tests::random_constraints(dice, 2, true)};
        const core::FitIndex fits(ledger, {1}, core::NumFit::percolated);

        // The rules, applied to the fully sorted children.
        std::vector<core::Child> children;
        for (const core::NodeId child : wide->children(wide->root())) {
            children.push_back({fits.fit(child), child});
        }
        const core::LevelConstraint& constraint = group.constraints.at(core::Level{1});
        if (constraint.partitions > 0 || constraint.range || constraint.factor > 1 ||
            constraint.hard) {
            continue;
        }
        const bool pack = constraint.affinity == Affinity::pack;
        std::ranges::stable_sort(children, [&](const core::Child& a, const core::Child& b) {
            return pack ? a.fit > b.fit : a.fit < b.fit;
        });
        Members want = std::min(group.size, fits.fit(wide->root()));
        std::vector<core::PlacedNode> expected;
        for (std::size_t i = 0; i < children.size() && want > 0; ++i) {
            const auto left = static_cast<Members>(children.size() - i);
            const Members share =
                pack ? want : std::max<Members>(1, (2 * want + left) / (2 * left));
            const Members got = std::min(children[i].fit, share);
            if (got > 0) {
                expected.push_back({children[i].node, got});
                want -= got;
            }
        }
        core::GroupPlacer placer;
        const core::LogicalTree placement = placer.place(group, fits);
        REQUIRE(core::servers_of(placement, *wide) == expected);
    }
}
