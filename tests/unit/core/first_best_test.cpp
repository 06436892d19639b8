#include "core/index/first_best.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace berth::core {
namespace {

constexpr std::int64_t lowest = -1;

TEST_CASE("first best: of equal values the first is the best") {
    FirstBest<std::int64_t> values(100, 0, lowest);
    CHECK(values.first() == 0);
    values.set(64, 5);
    values.set(63, 5);
    values.set(99, 5);
    CHECK(values.first() == 63);
    values.set(63, 4);
    CHECK(values.first() == 64);
    values.set(64, lowest);
    CHECK(values.first() == 99);
    values.set(99, 4);
    CHECK(values.first() == 63);
}

TEST_CASE("first best: where all are the worst, the first of them is") {
    FirstBest<std::int64_t> values(9, lowest, lowest);
    CHECK(values.first() == 0);
    values.set(8, 0);
    CHECK(values.first() == 8);
    values.set(8, lowest);
    CHECK(values.first() == 0);
}

/// Checks after each of many random changes that `first()` is what a search through all values
/// finds.
template <class Less>
void check_random_changes(std::uint32_t count, std::int64_t different, std::int64_t worst) {
    CAPTURE(count, different);
    std::mt19937 random(count);
    std::uniform_int_distribution<std::uint32_t> any_place(0, count - 1);
    std::uniform_int_distribution<std::int64_t> any_value(0, different - 1);
    FirstBest<std::int64_t, Less> values(count, 0, worst);
    std::vector<std::int64_t> plain(count, 0);
    std::uint32_t wrong = 0;
    for (int change = 0; change < 2000; ++change) {
        const std::uint32_t place = any_place(random);
        const std::int64_t value = change % 7 == 0 ? worst : any_value(random);
        values.set(place, value);
        plain[place] = value;
        const auto best = std::ranges::max_element(plain, Less{});
        wrong += values.first() == best - plain.begin() ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(std::ranges::equal(values, plain));
}

TEST_CASE("first best: at every size it is what looking through all finds") {
    for (const std::uint32_t count : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 512U, 513U, 1000U}) {
        for (const std::int64_t different : {2, 5, 1000}) {
            check_random_changes<std::less<>>(count, different, lowest);
            check_random_changes<std::greater<>>(count, different, 1000);
        }
    }
}

}  // namespace
}  // namespace berth::core
