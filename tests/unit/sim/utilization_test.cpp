#include <chrono>

#include <catch2/catch.hpp>

#include "sim/measure/utilization.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

TEST_CASE("utilization: agrees with sums over every second", "[sim][utilization]") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 4, 6, 2);
        core::Ledger ledger(tree);
        sim::Utilization utilization(ledger);
        const std::uint32_t inner = tree->node_count() - tree->server_count();
        std::vector<double> sums(inner * 2);
        std::vector<double> stranded(2);
        std::vector<core::ServerId> held;
        const std::vector<core::Amount> demand{1, 2};
        int second = 0;
        for (; second < 60; ++second) {
            for (std::int64_t changes = dice.roll(0, 3); changes > 0; --changes) {
                const core::ServerId server{
                    static_cast<std::uint32_t>(dice.roll(0, tree->server_count() - 1))};
                const auto free = ledger.available(tree->node_of(server));
                if (dice.chance(60) && free[0] >= 1 && free[1] >= 2) {
                    ledger.claim(server, demand, 1);
                    held.push_back(server);
                } else if (!held.empty()) {
                    ledger.release(held.back(), demand, 1);
                    held.pop_back();
                }
            }
            utilization.settle(std::chrono::seconds(second));
            for (std::uint32_t node = 0; node < inner; ++node) {
                for (std::size_t resource = 0; resource < 2; ++resource) {
                    sums[node * 2 + resource] +=
                        static_cast<double>(ledger.allocated(core::NodeId{node}, resource));
                }
            }
            for (const core::NodeId node : tree->level_nodes(tree->server_level())) {
                const auto free = ledger.available(node);
                for (std::size_t resource = 0; resource < 2; ++resource) {
                    if (free[0] == 0 || free[1] == 0) {
                        stranded[resource] += static_cast<double>(free[resource]);
                    }
                }
            }
        }
        utilization.settle(std::chrono::seconds(second));
        for (std::size_t resource = 0; resource < 2; ++resource) {
            for (std::uint32_t node = 0; node < inner; ++node) {
                const auto capacity =
                    static_cast<double>(ledger.capacity(core::NodeId{node})[resource]);
                CHECK(utilization.mean_allocated(core::NodeId{node}, resource).value() ==
                      Approx(sums[node * 2 + resource] / second / capacity));
            }
            CHECK(utilization.mean_stranded(resource).value() ==
                  Approx(stranded[resource] / second /
                         static_cast<double>(ledger.capacity(tree->root())[resource])));
        }
    }
}

TEST_CASE("utilization: a share is of what there was, where servers come and go",
          "[sim][utilization]") {
    // Two servers of 4 units; one is there from 10 s to 30 s, the other all 40 s: 240 unit-seconds.
    core::ResourceSchema schema;
    schema.add("units");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 4;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "always", 0);
    builder.add_server(0, "sometimes", 0);
    core::Ledger ledger(std::make_shared<const core::Topology>(builder.build()));
    const core::NodeId root = ledger.topology().root();
    const core::ServerId always{0};
    const core::ServerId sometimes{1};
    const std::vector<core::Amount> demand{1};
    sim::Utilization utilization(ledger);
    ledger.take_down(sometimes);
    ledger.claim(always, demand, 4);
    utilization.settle(std::chrono::seconds(0));
    CHECK(ledger.capacity(root)[0] == 4);
    utilization.settle(std::chrono::seconds(10));
    ledger.bring_up(sometimes);
    ledger.claim(sometimes, demand, 2);
    utilization.settle(std::chrono::seconds(10));
    CHECK(ledger.capacity(root)[0] == 8);
    CHECK(utilization.allocated(0) == Approx(6.0 / 8));
    utilization.settle(std::chrono::seconds(30));
    ledger.release(sometimes, demand, 2);
    ledger.take_down(sometimes);
    utilization.settle(std::chrono::seconds(30));
    utilization.settle(std::chrono::seconds(40));
    CHECK(utilization.mean_allocated(root, 0).value() == Approx((4.0 * 40 + 2 * 20) / 240));
    CHECK(utilization.mean_stranded(0).value() == Approx(0));
    CHECK_FALSE(ledger.is_up(sometimes));
}
