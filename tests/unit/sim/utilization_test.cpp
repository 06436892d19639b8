#include <catch2/catch.hpp>

#include "sim/utilization.hpp"
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
                CHECK(utilization.mean_allocated(core::NodeId{node}, resource) ==
                      Approx(sums[node * 2 + resource] / second / capacity));
            }
            CHECK(utilization.mean_stranded(resource) ==
                  Approx(stranded[resource] / second /
                         static_cast<double>(ledger.capacity(tree->root())[resource])));
        }
    }
}
