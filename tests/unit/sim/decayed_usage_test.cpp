#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>

#include "sim/queue/decayed_usage.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using namespace std::chrono_literals;

TEST_CASE("decayed usage: a half-life halves it", "[sim][queue]") {
    sim::DecayedUsage usage(100s, std::vector<core::Amount>{10, 0});
    const std::vector<core::Amount> half{5, 7};  // the cluster has none of the second resource
    usage.change(3, half, 1, 0s);
    usage.change(3, half, -1, 1s);
    // Half of the cluster for a second, less what has decayed meanwhile.
    const std::int64_t after = usage.at(3, 1s);
    CHECK(static_cast<double>(after) == Approx(0.5e9 * (1 - std::log(2) / 200)).epsilon(1e-4));
    CHECK(std::abs(usage.at(3, 101s) - after / 2) <= 2);
    CHECK(std::abs(usage.at(3, 301s) - after / 8) <= 2);
    CHECK(usage.at(3, 100'000s) == 0);
    CHECK(usage.at(4, 1s) == 0);
}

TEST_CASE("decayed usage: as an integral in steps, however often one looks", "[sim][queue]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        tests::Dice dice(seed);
        sim::DecayedUsage often(3600s, std::vector<core::Amount>{64});
        sim::DecayedUsage seldom(3600s, std::vector<core::Amount>{64});
        const std::vector<core::Amount> one{1};
        double expected = 0;
        core::Members running = 0;
        const double step_decay = std::exp2(-1.0 / 3600);
        for (std::int64_t second = 0; second < 3 * 3600; ++second) {
            const core::Members more = dice.chance(2) ? dice.roll(-running, 64 - running) : 0;
            if (more != 0) {
                often.change(0, one, more, std::chrono::seconds(second));
                seldom.change(0, one, more, std::chrono::seconds(second));
                running += more;
            }
            (void)often.at(0, std::chrono::seconds(second));
            expected = expected * step_decay + static_cast<double>(running) / 64 * 1e9;
        }
        const auto end = std::chrono::seconds(3 * 3600);
        CHECK(static_cast<double>(often.at(0, end)) == Approx(expected).epsilon(1e-3));
        CHECK(static_cast<double>(often.at(0, end)) ==
              Approx(static_cast<double>(seldom.at(0, end))).epsilon(1e-9));
    }
}

TEST_CASE("decayed usage: several pods weigh what one of their size does", "[sim][queue]") {
    const std::int64_t parts = GENERATE(range(2, 50));
    sim::DecayedUsage usage(75s, std::vector<core::Amount>{2 * parts, 1000});
    const std::vector<core::Amount> small{1, 2};
    const std::vector<core::Amount> large{parts, 1};
    const std::vector<core::Amount> other{1, 500};
    usage.change(0, small, parts, 4s);
    usage.change(1, large, 1, 4s);
    usage.change(2, other, 1, 4s);
    const std::int64_t half = usage.at(0, 11s);
    CHECK(usage.at(1, 11s) == half);
    CHECK(usage.at(2, 11s) == half);
    usage.change(0, small, -parts, 11s);
    usage.change(1, large, -1, 11s);
    usage.change(2, other, -1, 11s);
    CHECK(usage.at(1, 26s) == usage.at(0, 26s));
    CHECK(usage.at(2, 26s) == usage.at(0, 26s));
}
