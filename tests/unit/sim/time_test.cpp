#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "sim/clock/time.hpp"

using namespace berth::sim;

TEST_CASE("duration: every form is read exactly", "[sim][time]") {
    using Row = std::pair<std::string, std::int64_t>;
    const auto [text, nanoseconds] = GENERATE(table<std::string, std::int64_t>({
        Row{"0", 0},
        Row{"0s", 0},
        Row{"10ms", 10'000'000},
        Row{"5m", 300'000'000'000},
        Row{"24h", 86'400'000'000'000},
        Row{"7d", 604'800'000'000'000},
        Row{"1h30m", 5'400'000'000'000},
        Row{"0.5s", 500'000'000},
        Row{"3us", 3'000},
        Row{"3ns", 3},
    }));
    CAPTURE(text);
    CHECK(parse_duration(text) == SimTime(nanoseconds));
}

TEST_CASE("duration: what is none is refused", "[sim][time]") {
    const std::string text =
        GENERATE("", "5", "s", "-1s", "1w", "1 s", "0.1ns", "300000d", "1s2", "1..5s");
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
}

TEST_CASE("duration: what is too fine or too long is told from what is none", "[sim][time]") {
    const auto [text, fault] = GENERATE(table<std::string, DurationFault>({
        {"0.1ns", DurationFault::too_fine},
        {"1.0000000001s", DurationFault::too_fine},
        {"300000d", DurationFault::too_long},
        {"106751d24h", DurationFault::too_long},
        {"1w", DurationFault::malformed},
        {"1..5s", DurationFault::malformed},
    }));
    CAPTURE(text);
    CHECK(std::get<DurationFault>(duration_or_fault(text)) == fault);
}

TEST_CASE("seconds: printed exactly", "[sim][time]") {
    CHECK(format_seconds(SimTime(0)) == "0");
    CHECK(format_seconds(SimTime(1'500'000'000)) == "1.5");
    CHECK(format_seconds(SimTime(1)) == "0.000000001");
    CHECK(format_seconds(SimTime(60'000'000'000)) == "60");
    CHECK(format_seconds(SimTime(-500'000'000)) == "-0.5");
    CHECK(format_seconds(SimTime(1'000'000'010)) == "1.00000001");
    CHECK(format_seconds(SimTime::min()) == "-9223372036.854775808");
    CHECK(format_seconds(SimTime::max()) == "9223372036.854775807");
    std::string text = "at ";
    append_seconds(text, SimTime(2'050'000'000));
    CHECK(text == "at 2.05");
}

TEST_CASE("time text: seconds up to two minutes, then parts of which none is nothing",
          "[sim][time]") {
    const auto [time, text] = GENERATE(table<std::string, std::string>({
        {"0s", "0 s"},
        {"119321400us", "119.321 s"},
        {"120s", "120 s"},
        {"121s", "2 min 1 s"},
        {"10m", "10 min"},
        {"3599600ms", "1 h"},
        {"3610s", "1 h 10 s"},
        {"221688007ms", "2 d 13 h 34 min 48 s"},
        {"500d", "500 d"},
    }));
    CAPTURE(time);
    CHECK(time_text(*parse_duration(time)) == text);
}
