// The documents' own examples, by hand.

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "core/placement/placement_exact.hpp"
#include "core/placement/placement_group.hpp"

using namespace berth;
using core::Affinity;
using core::Members;

namespace {

/// A cluster of rooms of racks of servers, each server with the given number of free units.
struct Cluster {
    using Rack = std::vector<Members>;
    using Room = std::vector<Rack>;
    explicit Cluster(const std::vector<Room>& rooms) : ledger(tree_of(rooms)) {}

    static std::shared_ptr<const core::Topology> tree_of(const std::vector<Room>& rooms) {
        core::ResourceSchema schema;
        schema.add("units");
        core::TopologyBuilder builder(schema);
        for (Members units = 0; units <= 9; ++units) {
            core::Amounts capacity(1);
            capacity(0) = units;
            builder.add_machine_type({std::to_string(units), capacity, {}});
        }
        builder.begin_level("cluster");
        builder.add_node(0, "cluster");
        builder.begin_level("room");
        for (std::size_t room = 0; room < rooms.size(); ++room) {
            builder.add_node(0, "room-" + std::to_string(room));
        }
        builder.begin_level("rack");
        std::uint32_t racks = 0;
        for (std::uint32_t room = 0; room < rooms.size(); ++room) {
            for (std::size_t rack = 0; rack < rooms[room].size(); ++rack) {
                builder.add_node(room, "rack-" + std::to_string(racks++));
            }
        }
        builder.begin_level("server");
        std::uint32_t servers = 0;
        std::uint32_t parent = 0;
        for (const Room& room : rooms) {
            for (const Rack& rack : room) {
                for (const Members units : rack) {
                    builder.add_server(parent,
                                       "server-" + std::to_string(servers++),
                                       static_cast<std::uint32_t>(units));
                }
                ++parent;
            }
        }
        return std::make_shared<const core::Topology>(builder.build());
    }

    core::LogicalTree greedy(const core::GroupRequest& group) const {
        const core::FitIndex fits(ledger, {1}, core::NumFit::percolated);
        return core::GroupPlacer().place(group, fits);
    }
    core::LogicalTree exact(const core::GroupRequest& group) const {
        return core::place_exact(group, core::FitIndex(ledger, {1}, core::NumFit::percolated));
    }
    /// `server-1:3 server-0:1`, in the order in which servers were taken.
    std::string servers(const core::LogicalTree& placement) const {
        std::string out;
        for (const auto& [node, count] : core::servers_of(placement, ledger.topology())) {
            out += out.empty() ? "" : " ";
            out += std::string(ledger.topology().name(node)) + ":" + std::to_string(count);
        }
        return out;
    }

    core::Ledger ledger;
};

core::GroupRequest group_of(Members size,
                            std::initializer_list<std::pair<int, core::LevelConstraint>> list) {
    core::GroupRequest group{size, core::LevelConstraints(4)};
    for (const auto& [level, constraint] : list) {
        group.constraints.set(core::Level{static_cast<std::uint32_t>(level)}, constraint);
    }
    return group;
}

core::LevelConstraint constraint(Affinity affinity, bool hard) {
    core::LevelConstraint out;
    out.affinity = affinity;
    out.hard = hard;
    return out;
}

constexpr int rack_level = 2;
constexpr int server_level = 3;

}  // namespace

TEST_CASE("placement: the paper's example packs four members into rack-0, three and one",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{1, 2, 3}, {2, 1}}}};
    const auto group = group_of(4, {{rack_level, constraint(Affinity::pack, false)}});
    CHECK(cluster.servers(cluster.greedy(group)) == "server-2:3 server-1:1");
}

TEST_CASE("placement: the greedy misses a hard pack by server, the exact solver does not",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{2, 2}, {1}}}};
    const auto group = group_of(3, {{server_level, constraint(Affinity::pack, true)}});
    CHECK(cluster.greedy(group).placed() == 1);
    CHECK(cluster.servers(cluster.exact(group)) == "server-0:2 server-2:1");
}

TEST_CASE("placement: the greedy misses a soft spread over a hard one, the exact solver does not",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{4}, {1, 1, 1}}}};
    const auto group = group_of(4,
                                {{rack_level, constraint(Affinity::spread, false)},
                                 {server_level, constraint(Affinity::spread, true)}});
    CHECK(cluster.greedy(group).placed() == 3);
    CHECK(cluster.exact(group).placed() == 4);
}

TEST_CASE("placement: a hard pack by rack holds in each room, or with scope group in all",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{3}, {4}}, {{3}}}};
    core::LevelConstraint pack = constraint(Affinity::pack, true);
    CHECK(cluster.greedy(group_of(5, {{rack_level, pack}})).placed() == 3);
    CHECK(cluster.servers(cluster.exact(group_of(5, {{rack_level, pack}}))) ==
          "server-1:4 server-2:1");  // the earlier room has more
    pack.scope = core::Scope::group;
    CHECK(cluster.exact(group_of(5, {{rack_level, pack}})).placed() == 4);
    CHECK(cluster.greedy(group_of(5, {{rack_level, pack}})).placed() == 0);
    CHECK(cluster.servers(cluster.greedy(group_of(4, {{rack_level, pack}}))) == "server-1:4");
    CHECK(cluster.servers(cluster.exact(group_of(4, {{rack_level, pack}}))) == "server-1:4");
}

TEST_CASE("placement: a soft pack with scope group is given up where it cannot hold",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{3, 3}, {4}}}};
    core::LevelConstraint pack = constraint(Affinity::pack, false);
    pack.scope = core::Scope::group;
    CHECK(cluster.servers(cluster.greedy(group_of(4, {{server_level, pack}}))) == "server-2:4");
    CHECK(cluster.greedy(group_of(7, {{server_level, pack}})).placed() == 7);
}

TEST_CASE("placement: a hard scope group holds whatever a soft one below it wishes",
          "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{2, 2}}, {{2, 2}}}};
    core::LevelConstraint hard = constraint(Affinity::pack, true);
    hard.scope = core::Scope::group;
    core::LevelConstraint soft = constraint(Affinity::pack, false);
    soft.scope = core::Scope::group;
    CHECK(cluster.greedy(group_of(6, {{rack_level, hard}, {server_level, soft}})).placed() == 0);
    CHECK(cluster.greedy(group_of(4, {{rack_level, hard}, {server_level, soft}})).placed() == 4);
}

TEST_CASE("placement: in one server below a hard spread there is one member", "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{4}}, {{4}}}};
    core::LevelConstraint pack = constraint(Affinity::pack, true);
    pack.scope = core::Scope::group;
    const core::LevelConstraint spread = constraint(Affinity::spread, true);
    const auto group = group_of(2, {{rack_level, spread}, {server_level, pack}});
    CHECK(cluster.greedy(group).placed() == 1);
    CHECK(cluster.exact(group).placed() == 1);
}

TEST_CASE("placement: an even share is rounded to the nearest, half up", "[core][placement]") {
    // 5 over 4 racks is 1 to the nearest, and the last takes what is left.
    const Cluster cluster{std::vector<Cluster::Room>{{{9}, {9}, {9}, {9}}}};
    const auto group = group_of(5, {{rack_level, constraint(Affinity::spread, false)}});
    CHECK(cluster.servers(cluster.greedy(group)) == "server-0:1 server-1:1 server-2:2 server-3:1");
}

TEST_CASE("constraints: what is met is told by level", "[core][placement]") {
    const Cluster cluster{std::vector<Cluster::Room>{{{2, 2}, {4}}}};
    const auto pack = group_of(6, {{rack_level, constraint(Affinity::pack, false)}});
    const auto spread = group_of(6, {{rack_level, constraint(Affinity::spread, false)}});
    const core::Topology& tree = cluster.ledger.topology();
    CHECK_FALSE(core::constraint_met(cluster.greedy(pack), pack, core::Level{rack_level}, tree));
    CHECK(core::constraint_met(cluster.greedy(spread), spread, core::Level{rack_level}, tree));
    const auto small = group_of(3, {{rack_level, constraint(Affinity::pack, false)}});
    CHECK(core::constraint_met(cluster.greedy(small), small, core::Level{rack_level}, tree));
}

TEST_CASE("constraints: what the published program ignores is dropped", "[core][placement]") {
    core::LevelConstraints constraints(2);
    core::LevelConstraint odd = constraint(Affinity::pack, true);
    odd.range = {1, 2};
    odd.partitions = 3;
    odd.factor = 4;
    constraints.set(core::Level{1}, odd);
    CHECK_FALSE(constraints.at(core::Level{1}).range);
    CHECK(constraints.at(core::Level{1}).partitions == 0);
    CHECK(constraints.at(core::Level{1}).factor == 1);
    odd.hard = false;
    odd.range = {3, 2};
    odd.factor = 0;
    constraints.set(core::Level{1}, odd);
    CHECK_FALSE(constraints.at(core::Level{1}).range);
    CHECK(constraints.at(core::Level{1}).factor == 1);
}
