#include "experiments/program/results/arrival_series.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>

#include "tests/support/dice.hpp"

using namespace berth::report;
using berth::tests::Dice;

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

TimeSeries empty_series() {
    TimeSeries series;
    series.columns = {"pods_waiting", "gpu_arrived_milli", "gpu_allocated_milli"};
    series.columns.insert(series.columns.end(), fragment_columns.begin(), fragment_columns.end());
    return series;
}

ReplicationSeries& add_replication(TimeSeries& series) {
    const auto number = static_cast<std::int64_t>(series.replications.size());
    series.replications.push_back(
        {number, {}, std::vector<std::vector<double>>(series.columns.size())});
    return series.replications.back();
}

void add_sample(ReplicationSeries& of,
                double arrived,
                double allocated,
                const std::vector<double>& classes) {
    std::vector<double> row{7, arrived, allocated};
    row.insert(row.end(), classes.begin(), classes.end());
    of.time_s.push_back(static_cast<double>(of.time_s.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
        of.values[c].push_back(row[c]);
    }
}

/// Adds a sample of a cluster with `all` milli-GPUs, whose free part is half fragments of
/// `q2_lack_gpu` and half satisfied.
void add_halves(ReplicationSeries& of, double all, double arrived, double allocated) {
    const double half = (all - allocated) / 2;
    add_sample(of, arrived, allocated, {0, half, half, 0, 0, 0, 0});
}

/// The percentage, rounded half to even in whole numbers alone.
std::int64_t rounded_percent(std::int64_t arrived, std::int64_t all) {
    const std::int64_t whole = 100 * arrived / all;
    const std::int64_t rest = 2 * (100 * arrived % all);
    return whole + (rest > all || (rest == all && whole % 2 == 1) ? 1 : 0);
}

}  // namespace

TEST_CASE("arrival series: a replication's value in a bin is the mean of its samples",
          "[report][arrival]") {
    TimeSeries series = empty_series();
    ReplicationSeries& one = add_replication(series);
    // There are 4000 milli-GPUs: 400 are 10 %; 420 are 10.5 %, which is rounded to the even 10.
    add_sample(one, 400, 400, {100, 200, 3000, 100, 50, 50, 100});
    add_sample(one, 420, 800, {0, 0, 2400, 800, 0, 0, 0});
    // 460 are 11.5 %, which is rounded to the even 12.
    add_sample(one, 460, 4000, {0, 0, 0, 0, 0, 0, 0});
    const auto out = arrival_series(series);
    REQUIRE(out);
    CHECK(out->arrived_pct == std::vector<int>{10, 12});
    CHECK(out->unallocated_pct.median == std::vector<double>{85, 0});  // (90 + 80) / 2
    CHECK(out->frag_pct.median == std::vector<double>{17.5, 0});       // (600 + 800) / 2 / 4000
    CHECK(out->frag_ratio_pct.median[0] == Approx((600 / 36.0 + 25) / 2));  // of 3600, of 3200
    CHECK(out->frag_ratio_pct.median[1] == 0);                              // nothing is free
    CHECK(out->class_pct[2] == std::vector<double>{67.5, 0});               // (75 + 60) / 2
    CHECK(out->class_pct[3] == std::vector<double>{11.25, 0});              // (2.5 + 20) / 2
}

TEST_CASE("arrival series: over replications the median and the middle half", "[report][arrival]") {
    TimeSeries series = empty_series();
    for (const double allocated : {500, 100, 300, 200, 400}) {
        ReplicationSeries& one = add_replication(series);
        add_halves(one, 1000, 500, allocated);
        add_halves(one, 1000, 600, 500);
    }
    const auto out = arrival_series(series);
    REQUIRE(out);
    // 50, 60, 70, 80 and 90 % are free: of five values the quartiles are the second and the fourth.
    CHECK(out->unallocated_pct.low == std::vector<double>{60, 50});
    CHECK(out->unallocated_pct.median == std::vector<double>{70, 50});
    CHECK(out->unallocated_pct.high == std::vector<double>{80, 50});
    CHECK(out->frag_ratio_pct.high == std::vector<double>{50, 50});
}

TEST_CASE("arrival series: a bin counts only where every replication has a sample",
          "[report][arrival]") {
    TimeSeries series = empty_series();
    for (const double second : {200.0, 250.0}) {
        ReplicationSeries& one = add_replication(series);
        add_halves(one, 1000, 100, 100);
        add_halves(one, 1000, second, 200);
        add_halves(one, 1000, 300, 300);
        add_sample(one, nothing, nothing, {0, 0, 0, 0, 0, 0, 0});  // not measured at that instant
    }
    const auto out = arrival_series(series);
    REQUIRE(out);
    CHECK(out->arrived_pct == std::vector<int>{10, 30});
}

TEST_CASE("arrival series: none where a run shares no GPUs, or only one bin is known",
          "[report][arrival]") {
    CHECK_FALSE(arrival_series(empty_series()));
    TimeSeries series = empty_series();
    ReplicationSeries& one = add_replication(series);
    add_halves(one, 1000, 100, 100);
    CHECK_FALSE(arrival_series(series));
    add_halves(one, 1000, 200, 200);
    CHECK(arrival_series(series));
    series.columns.back() = "another";
    CHECK_FALSE(arrival_series(series));
}

TEST_CASE("arrival series: bins agree with counting in whole numbers", "[report][arrival]") {
    for (std::uint64_t seed = 0; seed < berth::tests::cases(200); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::int64_t all = 1000 * dice.roll(1, 60);
        TimeSeries series = empty_series();
        ReplicationSeries& one = add_replication(series);
        std::map<std::int64_t, std::vector<double>> free_by_bin;
        std::int64_t arrived = 0;
        for (std::int64_t sample = dice.roll(2, 300); sample > 0; --sample) {
            arrived += 5 * dice.roll(0, 100);
            const std::int64_t allocated = dice.roll(0, all);
            add_halves(
                one, double(all), static_cast<double>(arrived), static_cast<double>(allocated));
            if (const std::int64_t bin = rounded_percent(arrived, all); bin <= 1000) {
                free_by_bin[bin].push_back(100 * double(all - allocated) / double(all));
            }
        }
        const auto out = arrival_series(series);
        REQUIRE(out.has_value() == (free_by_bin.size() > 1));
        std::size_t at = 0;
        for (const auto& [bin, values] : free_by_bin) {
            if (!out) {
                break;
            }
            double sum = 0;
            for (const double value : values) {
                sum += value;
            }
            REQUIRE(at < out->arrived_pct.size());
            CHECK(out->arrived_pct[at] == bin);
            CHECK(out->unallocated_pct.median[at] ==
                  Approx(sum / static_cast<double>(values.size())));
            ++at;
        }
        CHECK((!out || at == out->arrived_pct.size()));
    }
}
