#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/index/scorer.hpp"
#include "core/scorers/shares.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;

namespace berth::core {
std::unique_ptr<Scorer> make_emptiest_server();  // docs/examples, not registered
}

namespace {

std::int64_t score(std::string_view name,
                   std::vector<core::Amount> capacity,
                   std::vector<core::Amount> available,
                   std::vector<core::Amount> demand) {
    const auto entry = std::ranges::find(core::scorers(), name, &core::ScorerEntry::name);
    REQUIRE(entry != core::scorers().end());
    return entry->make()->score(capacity, available, demand);
}

}  // namespace

TEST_CASE("scorers: every one keeps the contract", "[core][scorers]") {
    for (const core::ScorerEntry& entry : core::scorers()) {
        CAPTURE(entry.name);
        const auto scorer = entry.make();
        tests::Dice dice(5);
        for (int i = 0; i < 2000; ++i) {
            std::vector<core::Amount> capacity;
            std::vector<core::Amount> available;
            std::vector<core::Amount> demand;
            for (int resource = 0; resource < 3; ++resource) {
                capacity.push_back(dice.chance(10) ? dice.roll(0, INT64_MAX / 4)
                                                   : dice.roll(0, 64));
                available.push_back(dice.roll(0, capacity.back()));
                demand.push_back(dice.roll(0, available.back()));
            }
            const std::int64_t once = scorer->score(capacity, available, demand);
            REQUIRE(once >= 0);
            REQUIRE(once <= 100 * core::full_share);
            REQUIRE(once == scorer->score(capacity, available, demand));
        }
    }
}

TEST_CASE("scorers: a share is rounded down, however large the amounts", "[core][scorers]") {
    tests::Dice dice(6);
    for (int i = 0; i < 20'000; ++i) {
        // The parts lie on both sides of the size from which the product no longer fits into 63
        // bits.
        const core::Amount part = dice.chance(50) ? (INT64_MAX >> 20) + dice.roll(-3, 3)
                                                  : dice.roll(1, INT64_MAX >> dice.roll(0, 40));
        const core::Amount whole = dice.roll(part, INT64_MAX);
        // The share is computed digit by digit, so nothing is doubled beyond 64 bits.
        std::int64_t plain = 0;
        auto rest = static_cast<std::uint64_t>(part == whole ? 0 : part);
        for (int bit = 0; bit < 20; ++bit) {
            rest *= 2;
            const bool more = rest >= static_cast<std::uint64_t>(whole);
            plain = 2 * plain + (more ? 1 : 0);
            rest -= more ? static_cast<std::uint64_t>(whole) : 0;
        }
        CAPTURE(part, whole);
        REQUIRE(core::share(part, whole) == (part == whole ? core::full_share : plain));
    }
}

TEST_CASE("scorers: Kubernetes' two, by hand", "[core][scorers]") {
    // CPU 10 - 2 - 3 = 5 of 10 free, memory 20 - 5 - 5 = 10 of 20: 50 points either way.
    CHECK(score("least-allocated", {10, 20}, {8, 15}, {3, 5}) == 50);
    CHECK(score("most-allocated", {10, 20}, {8, 15}, {3, 5}) == 50);
    CHECK(score("least-allocated", {10, 20}, {10, 20}, {1, 2}) ==
          89);  // 90, less what the shares lose by rounding
    CHECK(score("most-allocated", {10, 20}, {10, 20}, {1, 2}) == 9);
}

TEST_CASE("scorers: balanced allocation by hand, as the standard deviation says",
          "[core][scorers]") {
    CHECK(score("balanced-allocation", {10, 20}, {8, 15}, {3, 5}) == 100);  // half of both is used
    CHECK(score("balanced-allocation", {10, 20}, {10, 20}, {5, 5}) == 87);  // 50 and 25 %
    CHECK(score("balanced-allocation", {8, 8, 8}, {8, 8, 8}, {8, 4, 4}) == 76);  // 100, 50, 50 %
    CHECK(score("balanced-allocation", {10, 20}, {8, 15}, {3, 0}) == 100);       // one is asked for
    CHECK(score("balanced-allocation", {96, 100}, {96, 100}, {24, 27}) == 99);   // 25 and 27 %
    CHECK(score("balanced-allocation", {100, 100}, {100, 100}, {100, 1}) == 50);
}

TEST_CASE("scorers: fits in the order of what is left", "[core][scorers]") {
    CHECK(score("best-fit", {10}, {4}, {2}) > score("best-fit", {10}, {8}, {2}));
    CHECK(score("worst-fit", {10}, {4}, {2}) < score("worst-fit", {10}, {8}, {2}));
    CHECK(score("first-fit", {10}, {4}, {2}) == score("first-fit", {10}, {8}, {2}));
}

TEST_CASE("scorers: the README's example does what it says", "[core][scorers]") {
    const auto scorer = core::make_emptiest_server();
    const std::vector<core::Amount> capacity{10};
    const std::vector<core::Amount> demand{2};
    CHECK(scorer->score(capacity, std::vector<core::Amount>{10}, demand) >
          scorer->score(capacity, std::vector<core::Amount>{4}, demand));
}
