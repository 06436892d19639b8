#include "experiments/program/results/statistics.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

using namespace berth::report;

namespace {

namespace multiprecision = boost::multiprecision;
using Wide =
    multiprecision::number<multiprecision::cpp_bin_float<320, multiprecision::digit_base_2>>;

/// The probability that a `t` is between -x and x, by a finite sum.
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
Wide within(const Wide& x, std::size_t degrees) {
    const Wide angle = atan(x / sqrt(Wide(degrees)));
    const Wide cosine = cos(angle);
    const bool odd = degrees % 2 == 1;
    Wide term = odd ? cosine : Wide(1);
    Wide sum = degrees == 1 ? Wide(0) : term;
    for (std::size_t power = odd ? 3 : 2; power + 2 <= degrees; power += 2) {
        term *= cosine * cosine * Wide(power - 1) / Wide(power);
        sum += term;
    }
    const Wide part = sin(angle) * sum;
    return odd ? 2 / boost::math::constants::pi<Wide>() * (angle + part) : part;
}

}  // namespace

TEST_CASE("Student's t: the quantile is the nearest double", "[report][student]") {
    const Wide share = Wide(19) / 20;
    for (const std::size_t degrees : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 29, 49, 99, 100, 499}) {
        const double t = student_t95(degrees);
        CAPTURE(degrees, t);
        const double infinity = std::numeric_limits<double>::infinity();
        const Wide below = (Wide(t) + Wide(std::nextafter(t, 0))) / 2;
        const Wide above = (Wide(t) + Wide(std::nextafter(t, infinity))) / 2;
        CHECK(within(below, degrees) < share);
        CHECK(within(above, degrees) > share);
    }
    CHECK(student_t95(0) == 0);
    CHECK(student_t95(1'000'000) == Approx(1.9599664).epsilon(1e-7));
}

TEST_CASE("Student's t: the probability is the nearest double", "[report][student]") {
    for (const std::size_t degrees : {1, 2, 3, 4, 5, 9, 10, 29, 99}) {
        for (const double t : {0.0, 1e-9, 0.3, -1.0, 2.262157, 17.5, -400.0, 1e6}) {
            CAPTURE(degrees, t);
            const Wide rest = 1 - within(Wide(std::abs(t)), degrees);
            if (rest > Wide(1e-60)) {  // 320 bits do not suffice for less
                CHECK(student_p(t, degrees) == static_cast<double>(rest));
            }
        }
    }
}

TEST_CASE("Student's t: small probabilities, down to none", "[report][student]") {
    // With two degrees of freedom it is 1 - t / sqrt(t^2 + 2), about 1 / t^2; with four, about 6 /
    // t^4.
    CHECK(student_p(1e100, 2) == Approx(1e-200).epsilon(1e-12).margin(0));
    CHECK(student_p(1e50, 4) == Approx(6e-200).epsilon(1e-12).margin(0));
    CHECK(student_p(1e200, 2) == 0);
    CHECK(student_p(std::numeric_limits<double>::infinity(), 9) == 0);
    CHECK(student_p(0, 9) == 1);
}

TEST_CASE("Student's t: threads ask for it at once", "[report][student]") {
    std::vector<double> sums(4);
    std::vector<std::thread> threads;
    for (double& sum : sums) {
        threads.emplace_back([&sum] {
            for (std::size_t degrees = 200; degrees < 220; ++degrees) {
                sum += student_t95(degrees);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(sums == std::vector<double>(4, sums.front()));
    CHECK(sums.front() == Approx(20 * 1.9714).epsilon(1e-3));
}
