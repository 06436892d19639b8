#include "core/device_allocator/go_sort.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/dice.hpp"

using namespace berth;
using tests::Dice;

namespace {

/// Values in one of the patterns that the algorithm looks for.
std::vector<std::int64_t> values_of(Dice& dice, std::int64_t size) {
    const std::int64_t kinds = dice.roll(1, dice.chance(50) ? 3 : 200);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < size; ++i) {
        values.push_back(dice.roll(1, kinds));
    }
    if (dice.chance(40)) {
        std::ranges::sort(values);
    }
    if (dice.chance(30)) {
        std::ranges::reverse(values);
    }
    for (std::int64_t changes = dice.roll(0, 3); changes > 0 && size > 1; --changes) {
        std::swap(values[static_cast<std::size_t>(dice.roll(0, size - 1))],
                  values[static_cast<std::size_t>(dice.roll(0, size - 1))]);
    }
    return values;
}

}  // namespace

TEST_CASE("go sort: every pattern is sorted, up to 12 values stably", "[core][devices]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(4000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::vector<std::int64_t> values = values_of(dice, dice.roll(0, 150));
        std::vector<std::size_t> expected(values.size());
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        std::vector<std::size_t> order = expected;
        core::go_sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        std::ranges::stable_sort(expected, {}, [&](std::size_t at) { return values[at]; });
        if (values.size() > 12) {
            REQUIRE(std::ranges::is_sorted(order, {}, [&](std::size_t at) { return values[at]; }));
            std::ranges::sort(order);
            std::ranges::sort(expected);
        }
        REQUIRE(order == expected);
    }
}
