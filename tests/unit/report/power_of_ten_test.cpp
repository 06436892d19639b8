#include "experiments/program/support/interval_text.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace berth::report;

TEST_CASE("power of ten: each is the double that its text means", "[report]") {
    CHECK(power_of_ten(0) == 1);
    CHECK(power_of_ten(-3) == 0.001);
    CHECK(power_of_ten(23) == 1e23);
    CHECK(power_of_ten(308) == 1e308);
    CHECK(power_of_ten(-323) == 1e-323);
    CHECK(power_of_ten(309) == std::numeric_limits<double>::infinity());
    CHECK(power_of_ten(-400) == 0);
}

TEST_CASE("power of ten: exponents of powers, and of what is next to them", "[report]") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (int exponent = -300; exponent <= 308; ++exponent) {
        const double power = power_of_ten(exponent);
        CAPTURE(exponent);
        CHECK(decimal_exponent(power) == exponent);
        CHECK(decimal_exponent(std::nextafter(power, 0)) == exponent - 1);
        CHECK(decimal_exponent(std::nextafter(power, infinity)) == exponent);
    }
    CHECK(decimal_exponent(0.05) == -2);
    CHECK(decimal_exponent(999.9999999999999) == 2);
    CHECK(decimal_exponent(5e-324) == -324);
    CHECK(decimal_exponent(std::numeric_limits<double>::infinity()) == 308);
}
