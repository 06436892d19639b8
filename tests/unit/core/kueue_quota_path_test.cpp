#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/quota_check.hpp"
#include "tests/unit/core/kueue_objects.hpp"

using namespace berth::core;
using namespace berth::core::kueue;
using namespace berth::core::kueue::testing;

namespace {

constexpr QuotaNode first_queue{0};

std::vector<QuotaRefusal> refusals(const QuotaTree& tree, Amount amount) {
    std::vector<QuotaRefusal> found;
    for (const QuotaStep& step : quota_path(tree, first_queue, gpus, amount)) {
        found.push_back(step.refusal);
    }
    return found;
}

}  // namespace

TEST_CASE("kueue quota path: the node to blame is the first that refuses", "[kueue]") {
    ClusterQueue a = gpu_queue("a", "team", 4);
    ClusterQueue b = gpu_queue("b", "team", 2);
    ClusterQueue c = gpu_queue("c", "all", 8);
    c.quotas[gpus].lending_limit = 3;
    Cohort team{"team", "all", {}, 1};
    team.quotas[gpus] = {0, 2, std::nullopt};
    Cache cache(gpu_objects({a, b, c}, {team}));
    (void)cache.add_workload(held_gpus("x", first_queue, 4, 0, 1));
    using enum QuotaRefusal;
    // b lends 2, and team may borrow 2 of the 3 that c lends.
    CHECK(refusals(cache.tree(), 4) == std::vector{none, none, none});
    CHECK(refusals(cache.tree(), 5) == std::vector{none, borrowing_limit, none});
    CHECK(refusals(cache.tree(), 6) == std::vector{none, borrowing_limit, quota});
    const std::vector<QuotaStep> path = quota_path(cache.tree(), first_queue, gpus, 5);
    CHECK(cache.tree().name(path[1].node) == "team");
    CHECK(path[1].total == 6);
    CHECK(path[1].used == 4);
    CHECK(path[1].available == 4);
    CHECK(path[2].total == 9);
    // c lends 3 of its 8 and keeps 5, so of the 6 that y holds there the cohort sees only 1.
    (void)cache.add_workload(held_gpus("y", QuotaNode{2}, 6, 0, 2));
    CHECK(quota_path(cache.tree(), first_queue, gpus, 5)[2].used == 5);
    const std::vector<QuotaStep> of_c = quota_path(cache.tree(), QuotaNode{2}, gpus, 0);
    CHECK(of_c.front().borrowed() == 0);
    CHECK(of_c.size() == 2);
}

TEST_CASE("kueue quota path: it refuses what is not available, in random trees", "[kueue]") {
    std::size_t refused = 0;
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        std::mt19937 dice(seed);
        const auto amount = [&](int most) {
            return static_cast<Amount>(dice() % static_cast<unsigned>(most + 1));
        };
        const auto limit = [&] {
            return dice() % 2 == 0 ? std::nullopt : std::optional(amount(6));
        };
        std::vector<Cohort> cohorts{{"0", "", {}, 1}};
        for (std::uint64_t i = 1; i < 4; ++i) {
            cohorts.push_back({std::to_string(i), std::to_string(dice() % i), {}, 1});
            cohorts.back().quotas[gpus] = {amount(4), limit(), limit()};
        }
        std::vector<ClusterQueue> queues;
        for (int i = 0; i < 5; ++i) {
            queues.push_back(gpu_queue(fmt::format("q{}", i), std::to_string(dice() % 4), 0));
            queues.back().quotas[gpus] = {amount(8), limit(), limit()};
        }
        Cache cache(gpu_objects(queues, cohorts));
        for (std::uint32_t i = 0; i < 5; ++i) {
            // Any usage is possible, since a quota may be cut below its usage.
            (void)cache.add_workload(
                held_gpus(fmt::format("w{}", i), QuotaNode{i}, amount(9), 0, i));
        }
        for (Amount asked = 1; asked < 20; ++asked) {
            const std::vector<QuotaRefusal> path = refusals(cache.tree(), asked);
            const bool refuses = std::ranges::any_of(
                path, [](QuotaRefusal one) { return one != QuotaRefusal::none; });
            REQUIRE(refuses == (asked > cache.tree().available(first_queue, gpus)));
            refused += refuses ? 1 : 0;
        }
    }
    CHECK(refused > 1000);
    CHECK(refused < 2000 * 19);
}
