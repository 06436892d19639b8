// Which of two choices of devices the exact solver prefers.

#include "core/device_allocator/exact_search.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace berth;
using core::ExactFound;

TEST_CASE("exact devices: scope, cover, distance, switches, untouched devices, score, minors",
          "[core][devices]") {
    const ExactFound middle{{1, 1, 2, 1, 1, 1, 1}, 10, 0b0110};
    // The rows are in the order of importance: each is better, although everything that matters
    // less is worse.
    const std::vector<std::pair<std::string, ExactFound>> better{
        {"scope", {{0, 2, 2, 2, 2, 2, 2}, 9, 0b1100}},
        {"uncovered", {{1, 0, 2, 2, 2, 2, 2}, 9, 0b1100}},
        {"share of uncovered", {{1, 1, 3, 2, 2, 2, 2}, 9, 0b1100}},
        {"far", {{1, 1, 2, 0, 2, 2, 2}, 9, 0b1100}},
        {"switches", {{1, 1, 2, 1, 0, 2, 2}, 9, 0b1100}},
        {"new on NUMA nodes", {{1, 1, 2, 1, 1, 0, 2}, 9, 0b1100}},
        {"new on switches", {{1, 1, 2, 1, 1, 1, 0}, 9, 0b1100}},
        {"score", {{1, 1, 2, 1, 1, 1, 1}, 11, 0b1100}},
        {"lowest minor", {{1, 1, 2, 1, 1, 1, 1}, 10, 0b1001}},
        {"second minor, with an equal share", {{1, 2, 4, 1, 1, 1, 1}, 10, 0b0011}},
    };
    for (const auto& [what, choice] : better) {
        CAPTURE(what);
        CHECK(choice.is_better_than(middle));
        CHECK_FALSE(middle.is_better_than(choice));
    }
    CHECK_FALSE(middle.is_better_than(middle));
}
