#include <catch2/catch.hpp>
#include <vector>

#include "sim/clock/random.hpp"
#include "sim/measure/warm_up.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// A history of slices of 1024 ns with the given numbers of pods in the system.
sim::LoadHistory history_of(const std::vector<double>& pods) {
    sim::LoadHistory history;
    history.slice = sim::SimTime(1024);
    for (const double count : pods) {
        history.means.push_back({count, count / 2, 0.5});
    }
    history.last_arrival = history.slice * static_cast<std::int64_t>(pods.size());
    history.jobs = 1000;
    history.ended = 900;
    return history;
}

/// Noise between -1 and 1.
double noise(sim::RandomBits& bits) {
    return static_cast<double>(bits() % 2001) / 1000.0 - 1;
}

}  // namespace

TEST_CASE("load history: slices double when time goes on, and keep the means", "[sim][warm-up]") {
    sim::LoadRecorder recorder;
    recorder.settle(0s, {10, 4, 0.5});
    recorder.settle(1s, {20, 8, 1});
    recorder.arrived(2s, 7, true);
    recorder.settle(2s, {20, 8, 1});
    recorder.settle(3s, {0, 0, 0});
    recorder.settle(4s, {0, 0, 0});
    const sim::LoadHistory history = recorder.result(4s);
    CHECK(history.last_arrival == 4s);
    CHECK(history.jobs == 1);
    CHECK(history.ended == 7);
    CHECK(history.means.size() <= sim::LoadRecorder::slices_max);
    CHECK(history.means.size() > sim::LoadRecorder::slices_max / 2 - 2);
    CHECK(history.slice.count() % 1024 == 0);
    CHECK(sim::mean_load(history, 0s).in_system == Approx((10 + 2 * 20) / 4.0).epsilon(0.01));
    CHECK(sim::mean_load(history, 0s).waiting == Approx((4 + 2 * 8) / 4.0).epsilon(0.01));
    CHECK(sim::mean_load(history, 0s, 1s).allocated == Approx(0.5).epsilon(0.01));
    CHECK(sim::mean_load(history, 1s, 3s).in_system == Approx(20).epsilon(0.01));
}

TEST_CASE("load history: it ends with the last arrival", "[sim][warm-up]") {
    sim::LoadRecorder recorder;
    recorder.settle(0s, {1, 0, 0.1});
    recorder.arrived(10s, 3, false);
    recorder.settle(10s, {2, 0, 0.2});
    recorder.settle(1000s, {0, 0, 0});
    const sim::LoadHistory history = recorder.result(1000s);
    CHECK(history.last_arrival == 10s);
    CHECK(history.slice * static_cast<std::int64_t>(history.means.size()) <= 10s);
    CHECK(sim::mean_load(history, 0s).in_system == Approx(1));
}

TEST_CASE("warm-up: MSER-5 leaves out what differs, and nothing of what does not",
          "[sim][warm-up]") {
    sim::RandomBits bits = sim::random_bits(1, "noise");
    std::vector<double> level(1000);
    for (double& value : level) {
        value = 50 + noise(bits);
    }
    const auto none = sim::end_of_warm_up(history_of(level));
    REQUIRE(none);
    CHECK(*none < sim::SimTime(1024) * 100);
    std::vector<double> filling = level;
    for (std::size_t i = 0; i < 200; ++i) {
        filling[i] *= static_cast<double>(i) / 200;
    }
    const auto end = sim::end_of_warm_up(history_of(filling));
    REQUIRE(end);
    CHECK(*end > sim::SimTime(1024) * 180);
    CHECK(*end < sim::SimTime(1024) * 300);
    CHECK(end->count() % (1024 * 5) == 0);
    std::vector<double> growing(1000);
    for (std::size_t i = 0; i < growing.size(); ++i) {
        growing[i] = static_cast<double>(i);
    }
    CHECK_FALSE(sim::end_of_warm_up(history_of(growing)));
    CHECK_FALSE(sim::end_of_warm_up(history_of(std::vector<double>(50, 1))));
    CHECK(sim::end_of_warm_up(history_of(std::vector<double>(500, 7))) == sim::SimTime(0));
}

TEST_CASE("warm-up: histories of several replications are averaged by time", "[sim][warm-up]") {
    sim::LoadHistory fine = history_of({1, 3, 5, 7, 9, 11});
    sim::LoadHistory coarse = history_of({10, 20});
    coarse.slice *= 2;
    coarse.last_arrival *= 2;
    const sim::LoadHistory both = sim::average(std::vector<sim::LoadHistory>{fine, coarse});
    CHECK(both.slice == sim::SimTime(2048));
    CHECK(both.last_arrival == sim::SimTime(4096));
    REQUIRE(both.means.size() == 2);
    CHECK(both.means[0].in_system == Approx((2 + 10) / 2.0));
    CHECK(both.means[1].in_system == Approx((6 + 20) / 2.0));
}
