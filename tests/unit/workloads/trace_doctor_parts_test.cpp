#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "tests/support/dice.hpp"
#include "workloads/trace/trace_doctor.hpp"

using namespace berth;
using namespace berth::workloads;
using namespace std::chrono_literals;

TEST_CASE("doctor: a set of fingerprints knows what it has seen", "[workloads][doctor]") {
    FingerprintSet set;
    CHECK(set.insert(0));
    CHECK_FALSE(set.insert(0));
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        CHECK(set.insert(fingerprint_of("name-" + std::to_string(i))));
    }
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        CHECK_FALSE(set.insert(fingerprint_of("name-" + std::to_string(i))));
    }
    CHECK(fingerprint_of("") != fingerprint_of(std::string(1, '\0')));
    CHECK(fingerprint_of("12345678a") != fingerprint_of("a12345678"));
}

TEST_CASE("doctor: a curve of demand in few steps", "[workloads][doctor]") {
    // Fifty thousand starts over a hundred years, in any order: the level is linear up to the end,
    // so it reaches its median half-way.
    const sim::SimTime century = std::chrono::hours(24 * 365 * 100);
    DemandCurve curve;
    berth::tests::Dice dice(3);
    for (int i = 0; i < 50'000; ++i) {
        curve.add(century / 50'000 * dice.roll(0, 49'999), 1);
    }
    const auto half = curve.warm_up(century);
    REQUIRE(half);
    CHECK(sim::seconds(*half) / sim::seconds(century) == Approx(0.5).margin(0.01));
    CHECK_FALSE(DemandCurve().warm_up(1h));
}
