#include "sim/meter/sum_by_arrival.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace berth;

TEST_CASE("sum by arrival: the sum is that of the order of arrival, to the bit", "[sim][sum]") {
    std::mt19937_64 bits(3);
    std::vector<std::pair<std::uint64_t, double>> values;
    for (std::uint64_t arrival = 0; arrival < 1000; ++arrival) {
        for (std::uint64_t i = 0; i < bits() % 3; ++i) {
            values.emplace_back(arrival, 1 / static_cast<double>(bits() % 1000 + 1));
        }
    }
    double wanted = 0;
    for (const auto& [arrival, value] : values) {
        wanted += value;
    }
    std::vector<std::pair<std::uint64_t, double>> ended = values;
    std::ranges::stable_sort(ended, {}, [](const auto& one) { return one.first * 7919 % 1009; });
    sim::SumByArrival sum;
    double as_they_ended = 0;
    for (const auto& [arrival, value] : ended) {
        sum.add(arrival, value);
        as_they_ended += value;
    }
    CHECK(sum.total() == wanted);
    CHECK(as_they_ended != wanted);  // otherwise the test could not fail

    sum.add(sim::SumByArrival::behind(0), 0.1);
    sum.add(5000, 0.3);
    CHECK(sum.total() == wanted + 0.3 + 0.1);
}

TEST_CASE("sum by arrival: beyond a million values they are added as they come", "[sim][sum]") {
    sim::SumByArrival sum;
    constexpr std::uint64_t count = 1'200'000;
    for (std::uint64_t i = 0; i < count; ++i) {
        sum.add(count - i, 0.5);
    }
    CHECK(sum.total() == count / 2);
}
