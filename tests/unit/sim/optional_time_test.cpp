#include <catch2/catch.hpp>
#include <optional>

#include "sim/clock/optional_time.hpp"

using namespace berth::sim;

TEST_CASE("optional time: an optional time is as std::optional, in the room of a time",
          "[sim][time]") {
    CHECK(sizeof(OptionalTime) == sizeof(SimTime));
    OptionalTime time;
    CHECK(!time.has_value());
    CHECK(time.value_or(SimTime(3)) == SimTime(3));
    CHECK(std::optional<SimTime>(time) == std::nullopt);
    CHECK(time == std::optional<SimTime>());
    CHECK(std::optional<SimTime>() == time);
    for (const SimTime some : {SimTime(0), SimTime(-1), SimTime(7), never}) {
        time = some;
        REQUIRE(time.has_value());
        CHECK(*time == some);
        CHECK(time.value_or(SimTime(3)) == some);
        CHECK(std::optional<SimTime>(time) == some);
        CHECK(OptionalTime(std::optional(some)) == time);
        CHECK(time == std::optional(some));
        CHECK(std::optional(some) == time);
        CHECK(time == some);
        CHECK(time != SimTime(some.count() / 2 + 12));
        CHECK(time != std::nullopt);
        CHECK(time != OptionalTime());
    }
    *time -= SimTime(1);
    CHECK(time == never - SimTime(1));
    time = std::nullopt;
    CHECK(!time);
    time = SimTime(1);
    time.reset();
    CHECK(time == OptionalTime());
}
