#include <cmath>

#include <catch2/catch.hpp>

#include "experiments/program/run/summary.hpp"

using namespace berth;

TEST_CASE("statistics: mean, spread and the interval of Student's t", "[experiments][summary]") {
    // Ten values; t(0.975, 9) = 2.262157.
    const auto statistics = experiments::statistics_of({2, 4, 4, 4, 5, 5, 7, 9, 3, 7});
    CHECK(statistics.mean == Approx(5.0));
    CHECK(statistics.sd == Approx(2.108185));
    CHECK(statistics.ci95.value() == Approx(2.262157 * 2.108185 / std::sqrt(10.0)).epsilon(1e-5));
    CHECK(statistics.min == 2);
    CHECK(statistics.max == 9);
    CHECK(statistics.n == 10);
}

TEST_CASE("statistics: of one value, and of none", "[experiments][summary]") {
    const auto one = experiments::statistics_of({3});
    CHECK(one.mean == 3);
    CHECK(one.sd == 0);
    CHECK_FALSE(one.ci95.has_value());
    CHECK(experiments::statistics_of({3, 3}).ci95 == 0.0);
    CHECK(experiments::statistics_of({}).n == 0);
    CHECK(experiments::statistics_of({0.1, 0.1, 0.1}).mean == 0.1);
}
