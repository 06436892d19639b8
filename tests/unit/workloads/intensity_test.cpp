#include "workloads/intensity.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "workloads/sources.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// A Poisson process of one arrival in ten seconds.
workloads::Renewal poisson(sim::SimTime until) {
    workloads::Renewal renewal;
    renewal.arrivals = {workloads::DistributionKind::exponential, 10, 0, {}, {}};
    renewal.mix.push_back({{}, 1, std::nullopt});
    renewal.until = until;
    return renewal;
}

std::vector<sim::SimTime> arrivals(const workloads::Renewal& renewal) {
    const auto source = workloads::make_renewal(renewal, 1);
    std::vector<sim::SimTime> out;
    while (const auto job = source->next()) {
        out.push_back(job->submit);
    }
    return out;
}

}  // namespace

TEST_CASE("intensity: diurnal is highest at the peak and lowest half a period off",
          "[workloads][intensity]") {
    workloads::Intensity day(
        workloads::Diurnal{24h, 0.5, 14h}, std::nullopt, sim::RandomSeries(1, "test"));
    CHECK(day.most() == Approx(1.5));
    CHECK(day.at(2h) == Approx(0.5));
    CHECK(day.at(8h) == Approx(1));
    CHECK(day.at(14h) == Approx(1.5));
    CHECK(day.at(20h) == Approx(1));
    CHECK(day.at(1000 * 24h + 14h) == Approx(1.5));
}

TEST_CASE("intensity: of a day's arrivals, the half around the peak has 1/2 + amplitude/pi",
          "[workloads][intensity]") {
    // The mean of 1 + a cos(2 pi t / T) is 1 + 2 a / pi over the half period around 0, and 1 over
    // the whole period, so that as many jobs arrive in all as without it.
    workloads::Renewal renewal = poisson(100 * 24h);
    renewal.diurnal = workloads::Diurnal{24h, 0.8, 14h};
    double all = 0;
    double near_peak = 0;
    for (const sim::SimTime time : arrivals(renewal)) {
        const sim::SimTime of_day = time % 24h;
        ++all;
        near_peak += of_day >= 8h && of_day < 20h ? 1 : 0;
    }
    const double expected = 100 * 24 * 360;
    CHECK(all == Approx(expected).margin(5 * std::sqrt(expected)));
    CHECK(near_peak / all == Approx(0.5 + 0.8 / std::numbers::pi).margin(5 * 0.5 / std::sqrt(all)));
}

TEST_CASE("intensity: with bursts, (every + factor x length) / (every + length) as many arrive",
          "[workloads][intensity]") {
    workloads::Renewal renewal = poisson(400 * 24h);
    renewal.bursts = workloads::Bursts{50min, 10min, 7};
    const std::vector<sim::SimTime> times = arrivals(renewal);
    // (50 + 7 x 10) / 60 = 2 times as many jobs arrive. There are 9600 bursts, whose lengths vary
    // as much as their mean, so the share of time in bursts has a relative deviation of about
    // sqrt(2 / 9600).
    const double expected = 2.0 * 400 * 24 * 360;
    CHECK(static_cast<double>(times.size()) == Approx(expected).epsilon(5 * 0.015));
    // The arrivals come in clusters: the variance of counts by 10 minutes is far above their mean.
    std::vector<double> counts(400 * 24 * 6);
    for (const sim::SimTime time : times) {
        ++counts[static_cast<std::size_t>(time / 10min)];
    }
    double sum = 0;
    double squares = 0;
    for (const double count : counts) {
        sum += count;
        squares += count * count;
    }
    const double mean = sum / static_cast<double>(counts.size());
    CHECK(squares / static_cast<double>(counts.size()) - mean * mean > 10 * mean);
}
