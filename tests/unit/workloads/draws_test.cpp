/// The draws of each law, bit by bit: a compiler, C library or machine that gives another result is
/// noticed here.

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>

#include "core/support/rounded_math.hpp"
#include "sim/clock/random.hpp"
#include "sim/clock/time.hpp"
#include "workloads/distribution.hpp"
#include "workloads/intensity.hpp"

using namespace berth;
using workloads::Distribution;
using workloads::DistributionKind;

namespace {

constexpr std::uint64_t draws = 20'000;

std::uint64_t with(std::uint64_t digest, double number) {
    return sim::mix(digest, std::bit_cast<std::uint64_t>(number));
}

template <typename Draw>
std::uint64_t digest_of(Draw draw) {
    const sim::RandomSeries numbers(1, "draws");
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
        digest = with(digest, draw(numbers.uniform(i)));
    }
    return digest;
}

std::uint64_t digest_of(const Distribution& distribution) {
    return digest_of([&](double u) { return distribution.quantile(u); });
}

struct Law {
    Distribution distribution;
    std::uint64_t digest = 0;
};

}  // namespace

TEST_CASE("draws: each law gives the recorded bits", "[workloads][draws]") {
    const Law law = GENERATE(
        Law{{DistributionKind::uniform, 2, 6, {}, {}}, 0xe83b3b1ed97b079e},
        Law{{DistributionKind::exponential, 30, 0, {}, {}}, 0x07f03509bfe0a440},
        Law{{DistributionKind::log_normal, 3600, 1.5, {}, {}}, 0x1c98abc74529b272},
        Law{{DistributionKind::weibull, 0.7, 100, {}, {}}, 0x6ab12794ff49c6e4},
        Law{{DistributionKind::weibull, 2.3, 100, {}, {}}, 0x2691bcd931eb6b93},
        Law{{DistributionKind::pareto, 1.5, 10, {}, {}}, 0x4b29f4077fbb5261},
        Law{{DistributionKind::empirical, 0, 0, {1, 2, 9}, {1, 0, 3}}, 0x9429468204a8b77c});
    CAPTURE(static_cast<int>(law.distribution.kind), law.distribution.a);
    CHECK(digest_of(law.distribution) == law.digest);
}

TEST_CASE("draws: normal numbers, means and the time of day are the recorded bits",
          "[workloads][draws]") {
    CHECK(digest_of([](double u) { return core::rounded_normal_quantile(u); }) ==
          0xcf50ca24180f83a4);
    const Distribution weibull{DistributionKind::weibull, 0.7, 100, {}, {}};
    CHECK(std::bit_cast<std::uint64_t>(weibull.mean()) == 0x405fa5453b799a2e);
    constexpr sim::SimTime hour = std::chrono::hours(1);
    workloads::Intensity intensity(workloads::Diurnal{24 * hour, 0.5, 14 * hour},
                                   workloads::Bursts{6 * hour, hour / 6, 10},
                                   sim::RandomSeries(1, "bursts"));
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
        digest = with(digest, intensity.at(std::chrono::seconds(100 * i)));
    }
    CHECK(digest == 0x3e532d9007c8a399);
}
