#include "core/support/append_seconds.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

using namespace berth::core;

namespace {

std::string written(std::int64_t nanoseconds) {
    std::string text;
    append_seconds(text, std::chrono::nanoseconds(nanoseconds));
    return text;
}

/// The same text, made in a plain way.
std::string expected(std::int64_t nanoseconds) {
    std::string digits = fmt::format("{:010}", nanoseconds);
    std::string fraction = digits.substr(digits.size() - 9);
    digits.resize(digits.size() - 9);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fraction.empty() ? digits : digits + "." + fraction;
}

}  // namespace

TEST_CASE("seconds: as a plain version writes them, whatever digits they have", "[core][seconds]") {
    // All places of the first and the last digit that is not zero, with zeros, nines and other
    // digits between them.
    for (const std::int64_t digit : {1, 5, 9}) {
        std::int64_t high = digit;
        for (int places = 1; places < 19; ++places, high *= 10) {
            std::int64_t low = 1;
            for (int zeros = 0; zeros < places; ++zeros, low *= 10) {
                const std::int64_t mixed = 1'234'567'890'123'456'789 % high / low * low;
                for (const std::int64_t time : {high, high - low, high + low, high - mixed}) {
                    CAPTURE(time);
                    REQUIRE(written(time) == expected(time));
                    REQUIRE(written(-time) == (time == 0 ? "0" : "-" + expected(time)));
                }
            }
        }
    }
    CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036.854775807");
    CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036.854775808");
}
