#include <catch2/catch.hpp>

#include "core/ledger/ledger.hpp"
#include "core/support/source.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

TEST_CASE("ledger: every inner node is the sum of its servers, whatever comes and goes",
          "[core][ledger]") {
    tests::Dice dice(11);
    const auto tree = tests::random_tree(dice, 3, 4, 9, 2);
    core::Ledger ledger(tree);
    const std::vector<core::Amount> demand{1, 2};
    std::vector<core::LogicalTree> held;
    for (int step = 0; step < 300; ++step) {
        if (dice.chance(50) && !held.empty()) {
            ledger.release(held.back(), demand);
            held.pop_back();
        } else {
            std::vector<core::PlacedNode> servers;
            for (const core::NodeId node : tree->level_nodes(tree->server_level())) {
                const auto free = ledger.available(node);
                if (dice.chance(20) && free[0] >= 1 && free[1] >= 2) {
                    servers.push_back({node, 1});
                }
            }
            held.push_back(core::logical_tree(servers, *tree));
            ledger.claim(held.back(), demand);
        }
        std::vector<core::Amount> sums(std::size_t{tree->node_count()} * 2);
        for (std::uint32_t index = tree->node_count(); index-- > 0;) {
            const core::NodeId node{index};
            for (std::size_t resource = 0; resource < 2; ++resource) {
                if (tree->is_server(node)) {
                    sums[index * 2 + resource] = ledger.available(node)[resource];
                }
                REQUIRE(ledger.available(node)[resource] == sums[index * 2 + resource]);
                if (index > 0) {
                    sums[tree->parent(node).index * 2 + resource] += sums[index * 2 + resource];
                }
            }
        }
    }
}

TEST_CASE("ledger: what is in use from outside may exceed the capacity", "[core][ledger]") {
    tests::Dice dice(1);
    core::Ledger ledger(tests::random_tree(dice, 1, 2, 4));
    ledger.occupy(core::ServerId{0}, std::vector<core::Amount>{100});
    CHECK(ledger.available(ledger.topology().node_of(core::ServerId{0}))[0] < 0);
}

TEST_CASE("ledger: sums of several machine types have room up to the last unit", "[core][ledger]") {
    for (const core::Amount more : {0, 1}) {
        core::ResourceSchema schema;
        schema.add("cpu");
        schema.add("memory");
        core::TopologyBuilder builder(schema);
        const core::Amount third = INT64_MAX / 3;
        builder.add_machine_type({"small", core::Amounts{{1, third}}, {}});
        builder.add_machine_type({"large", core::Amounts{{1, INT64_MAX - 2 * third + more}}, {}});
        builder.begin_level("cluster");
        builder.add_node(0, "cluster");
        builder.begin_level("server");
        builder.add_server(0, "server-0", 0);
        builder.add_server(0, "server-1", 1);
        builder.add_server(0, "server-2", 0);
        const auto tree = std::make_shared<const core::Topology>(builder.build());
        if (more == 0) {
            core::Ledger::check_sums(*tree);
            CHECK(core::Ledger(tree).capacity(tree->root())[1] == INT64_MAX);
        } else {
            const auto message = Catch::StartsWith("the memory of all servers together overflows");
            CHECK_THROWS_WITH(core::Ledger::check_sums(*tree), message);
            CHECK_THROWS_WITH(core::Ledger(tree), message);
        }
    }
}

TEST_CASE("ledger: a sum that has no room is an error, not a wrong number", "[core][ledger]") {
    core::ResourceSchema schema;
    schema.add("memory");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = INT64_MAX / 2 + 1;
    builder.add_machine_type({"huge", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "server-0", 0);
    builder.add_server(0, "server-1", 0);
    const auto tree = std::make_shared<const core::Topology>(builder.build());
    CHECK_THROWS_WITH(core::Ledger(tree), Catch::Contains("overflows: expected at most"));

    core::Ledger one(tests::random_tree(*std::make_unique<tests::Dice>(1), 1, 2, 4));
    one.occupy(core::ServerId{0}, std::vector<core::Amount>{INT64_MAX});
    CHECK_THROWS_AS(one.occupy(core::ServerId{0}, std::vector<core::Amount>{INT64_MAX}),
                    core::InputError);
}
