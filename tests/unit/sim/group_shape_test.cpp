#include <algorithm>

#include <catch2/catch.hpp>

#include "sim/measure/group_shape.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

TEST_CASE("group shape: distances are those over all pairs of members", "[sim][metrics]") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const auto tree = tests::random_tree(dice, 3, 3, 4);
        std::vector<core::PlacedNode> servers;
        std::vector<core::NodeId> members;
        for (const core::NodeId node : tree->level_nodes(tree->server_level())) {
            if (const core::Members count = dice.roll(0, 2); count > 0) {
                servers.push_back({node, count});
                members.insert(members.end(), static_cast<std::size_t>(count), node);
            }
        }
        const sim::GroupShape shape = sim::shape_of(core::logical_tree(servers, *tree), *tree);
        double sum = 0;
        double pairs = 0;
        std::uint32_t furthest = 0;
        for (std::size_t a = 0; a < members.size(); ++a) {
            for (std::size_t b = a + 1; b < members.size(); ++b) {
                const std::uint32_t edges = tree->distance(members[a], members[b]);
                sum += edges;
                furthest = std::max(furthest, edges);
                ++pairs;
            }
        }
        CHECK(shape.mean_distance == Approx(pairs > 0 ? sum / pairs : 0));
        CHECK(shape.max_distance == furthest);
        CHECK(shape.levels.back().used == servers.size());
    }
}
