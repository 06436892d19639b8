#include <catch2/catch.hpp>
#include <cmath>

#include "sim/clock/random.hpp"
#include "workloads/distribution.hpp"

using namespace berth;
using workloads::Distribution;
using workloads::DistributionKind;

TEST_CASE("distribution: the mean of many draws is the mean", "[workloads][distribution]") {
    const Distribution distribution =
        GENERATE(Distribution{DistributionKind::constant, 7, 0, {}, {}},
                 Distribution{DistributionKind::uniform, 2, 6, {}, {}},
                 Distribution{DistributionKind::exponential, 30, 0, {}, {}},
                 Distribution{DistributionKind::log_normal, 3600, 1.5, {}, {}},
                 Distribution{DistributionKind::weibull, 0.7, 100, {}, {}},
                 Distribution{DistributionKind::pareto, 3.5, 10, {}, {}},
                 Distribution{DistributionKind::empirical, 0, 0, {1, 2, 9}, {}},
                 Distribution{DistributionKind::empirical, 0, 0, {1, 2, 9}, {1, 0, 3}});
    CAPTURE(static_cast<int>(distribution.kind));
    const sim::RandomSeries numbers(1, "test");
    constexpr std::uint64_t draws = 200'000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
        const double x = distribution.quantile(numbers.uniform(i));
        REQUIRE(x >= 0);
        sum += x;
        squares += x * x;
    }
    const double mean = sum / draws;
    const double standard_error = std::sqrt((squares / draws - mean * mean) / draws);
    CHECK(std::abs(mean - distribution.mean()) <= 4 * standard_error + 1e-9);
}

TEST_CASE("distribution: the log-normal has the variation asked for", "[workloads][distribution]") {
    const Distribution distribution{DistributionKind::log_normal, 100, 0.5, {}, {}};
    const sim::RandomSeries numbers(2, "test");
    double sum = 0;
    double squares = 0;
    constexpr std::uint64_t draws = 200'000;
    for (std::uint64_t i = 0; i < draws; ++i) {
        const double x = distribution.quantile(numbers.uniform(i));
        sum += x;
        squares += x * x;
    }
    const double mean = sum / draws;
    CHECK(std::sqrt(squares / draws - mean * mean) / mean == Approx(0.5).epsilon(0.02));
}
