#include "experiments/program/results/time_to_failure.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace berth::report;

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// The probability of at most that many events, by the incomplete gamma function.
Wide at_most(std::uint64_t events, const Wide& mean) {
    return boost::math::gamma_q(Wide(events + 1), mean);
}

/// Checks that no other double is as near to the mean under which that probability is `share`.
void check_nearest(double found, std::uint64_t events, const Wide& share) {
    const double infinity = std::numeric_limits<double>::infinity();
    CAPTURE(events, found);
    CHECK(at_most(events, (Wide(found) + Wide(std::nextafter(found, 0))) / 2) > share);
    CHECK(at_most(events, (Wide(found) + Wide(std::nextafter(found, infinity))) / 2) < share);
}

}  // namespace

TEST_CASE("time to failure: the interval is of the nearest doubles", "[report]") {
    for (const std::uint64_t events : {1, 2, 3, 5, 10, 33, 100, 1000, 20'000}) {
        const ExpectedEvents expected = expected_events90(events);
        check_nearest(expected.low, events - 1, Wide(19) / 20);
        check_nearest(expected.high, events, Wide(1) / 20);
    }
    CHECK(expected_events90(0).low == 0);
    check_nearest(expected_events90(0).high, 0, Wide(1) / 20);
}

TEST_CASE("time to failure: of many events it is what the law of few goes on to", "[report]") {
    constexpr std::uint64_t few = 1'000'000;
    const ExpectedEvents expected = expected_events90(few);
    const ExpectedEvents next = expected_events90(few + 1);
    // One more event moves the ends by 1 + z / (2 sqrt(n)), up or down.
    CHECK(next.high - expected.high == Approx(1 + 1.644854 / 2000).epsilon(1e-4));
    CHECK(next.low - expected.low == Approx(1 - 1.644854 / 2000).epsilon(1e-4));
    CHECK(expected_events90(9'000'000'000'000'000).high == Approx(9e15));
}

TEST_CASE("time to failure: half of what tables of chi-square have", "[report]") {
    CHECK(expected_events90(0).high == Approx(2.996).epsilon(2e-4));
    CHECK(expected_events90(1).low == Approx(0.0513).epsilon(1e-3));
    CHECK(expected_events90(1).high == Approx(4.744).epsilon(2e-4));
    CHECK(expected_events90(10).low == Approx(5.425).epsilon(2e-4));
    CHECK(expected_events90(10).high == Approx(16.962).epsilon(2e-4));
}

TEST_CASE("time to failure: of a time without an interruption a lower bound is known", "[report]") {
    const TimeToFailure none = time_to_failure(0, 299.6);
    CHECK_FALSE(none.mean_s);
    CHECK_FALSE(none.high_s);
    CHECK(none.low_s == Approx(100).epsilon(1e-3));
    const TimeToFailure ten = time_to_failure(10, 1000);
    CHECK(ten.mean_s == 100);
    CHECK(ten.low_s == Approx(1000 / 16.962).epsilon(1e-4));
    CHECK(ten.high_s == Approx(1000 / 5.425).epsilon(1e-3));
}
