// What forecasts are made of, beside the plainest way to compute it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <vector>

#include "experiments/program/forecast/check.hpp"
#include "experiments/program/forecast/forecast.hpp"
#include "experiments/program/forecast/normal_scores.hpp"
#include "experiments/program/forecast/run_time_curve.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using experiments::NormalScores;
using experiments::RunTimeCurve;
using experiments::SeenRatio;
using sim::SimTime;

namespace {

/// The product over all ended ratios up to x, each with a fresh count of who was still there.
double plain_longer_than(const std::vector<SeenRatio>& seen, double x) {
    double longer = 1;
    std::vector<double> done;
    for (const SeenRatio& one : seen) {
        if (!one.ended || one.ratio > x || std::ranges::find(done, one.ratio) != done.end()) {
            continue;
        }
        done.push_back(one.ratio);
        double ended = 0;
        double there = 0;
        for (const SeenRatio& other : seen) {
            there += other.ratio >= one.ratio ? other.weight : 0;
            ended += other.ratio == one.ratio && other.ended ? other.weight : 0;
        }
        longer *= 1 - ended / there;
    }
    return longer;
}

std::vector<SeenRatio> some_ratios(tests::Dice& dice) {
    std::vector<SeenRatio> seen(static_cast<std::size_t>(dice.roll(1, 30)));
    for (SeenRatio& one : seen) {
        one.ratio = static_cast<double>(dice.roll(1, 12)) / 8;
        one.ended = dice.roll(0, 2) > 0;
        one.weight = static_cast<double>(dice.roll(1, 5)) / 4;
    }
    std::ranges::stable_sort(seen, [](const SeenRatio& a, const SeenRatio& b) {
        return a.ratio < b.ratio || (a.ratio == b.ratio && a.ended && !b.ended);
    });
    return seen;
}

}  // namespace

TEST_CASE("forecast: a curve of run times is that of Kaplan and Meier", "[experiments]") {
    tests::Dice dice(58);
    for (int round = 0; round < 300; ++round) {
        const std::vector<SeenRatio> seen = some_ratios(dice);
        const RunTimeCurve curve(seen);
        for (int eighths = 0; eighths <= 13; ++eighths) {
            const double x = static_cast<double>(eighths) / 8;
            CHECK(curve.longer_than(x) == Approx(plain_longer_than(seen, x)).margin(1e-9));
            CHECK(curve.at_least(x) == Approx(plain_longer_than(seen, x - 0.01)).margin(1e-9));
        }
    }
}

TEST_CASE("forecast: a job that has run on is expected to run longer", "[experiments]") {
    tests::Dice dice(7);
    for (int round = 0; round < 300; ++round) {
        const RunTimeCurve curve(some_ratios(dice));
        const double ran = static_cast<double>(dice.roll(0, 12)) / 8;
        double before = 0;
        for (const double u : {0.01, 0.3, 0.5, 0.9, 0.99}) {
            const double ratio = curve.quantile(u, ran);
            CHECK(ratio > ran);
            CHECK(ratio >= before);
            before = ratio;
        }
    }
    // One of two ended at half its limit, and the other one runs beyond: half of the chances lie at
    // the limit.
    const RunTimeCurve curve({{0.5, true, 1}, {0.7, false, 1}});
    CHECK(curve.quantile(0.4, 0) == 0.5);
    CHECK(curve.quantile(0.6, 0) == 1.0);
    CHECK(curve.quantile(0.1, 0.6) == 1.0);
    CHECK(curve.quantile(0.1, 2.0) == Approx(2.1));
}

TEST_CASE("forecast: normal scores and probabilities turn into each other", "[experiments]") {
    const NormalScores& normal = NormalScores::table();
    CHECK(normal.score(0.5) == Approx(0).margin(1e-12));
    CHECK(normal.score(0.975) == Approx(1.959964).margin(1e-4));
    for (int i = 1; i < 1000; ++i) {
        const double u = static_cast<double>(i) / 1000;
        CHECK(normal.probability(normal.score(u)) == Approx(u).margin(1e-12));
        const double exact = std::erfc(-normal.score(u) / std::sqrt(2.0)) / 2;
        CHECK(exact == Approx(u).margin(1e-4));
    }
}

TEST_CASE("forecast: quantiles are those of ranks among one more", "[experiments]") {
    std::vector<SimTime> draws;
    for (int i = 1; i <= 9; ++i) {
        draws.emplace_back(std::chrono::seconds(i));
    }
    CHECK(experiments::quantile_of(draws, 10) == std::chrono::seconds(1));
    CHECK(experiments::quantile_of(draws, 50) == std::chrono::seconds(5));
    CHECK(experiments::quantile_of(draws, 55) == std::chrono::milliseconds(5500));
    CHECK(experiments::quantile_of(draws, 99) == std::chrono::seconds(9));
    draws.back() = sim::never;
    CHECK(experiments::quantile_of(draws, 90) == sim::never);
    CHECK(experiments::quantile_of(draws, 85) == sim::never);
}

TEST_CASE("forecast: the ranked score is that of all pairs of draws", "[experiments]") {
    tests::Dice dice(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<SimTime> draws;
        for (int i = 0; i < 20; ++i) {
            draws.emplace_back(std::chrono::seconds(dice.roll(0, 100)));
        }
        std::ranges::sort(draws);
        const double came = static_cast<double>(dice.roll(0, 100));
        double apart = 0;
        double spread = 0;
        for (const SimTime a : draws) {
            apart += std::abs(sim::seconds(a) - came) / 20;
            for (const SimTime b : draws) {
                spread += std::abs(sim::seconds(a - b)) / 800;
            }
        }
        const SimTime at = std::chrono::seconds(static_cast<int>(came));
        CHECK(experiments::ranked_score(draws, at) == Approx(apart - spread).margin(1e-9));
    }
}
