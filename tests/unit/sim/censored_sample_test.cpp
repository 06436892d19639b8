#include "sim/meter/censored_sample.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/dice.hpp"

using namespace berth;

namespace {

sim::Metric percentile(const sim::CensoredSample& sample, int thousandths) {
    std::vector<sim::Metric> out;
    sample.add_percentiles(out, "wait", {thousandths});
    return out.at(0);
}

}  // namespace

TEST_CASE("censored sample: without censored values, percentiles are nearest ranks",
          "[sim][censored]") {
    tests::Dice dice(7);
    for (std::uint64_t round = 0; round < 200; ++round) {
        const std::int64_t count = dice.roll(1, 60);
        sim::CensoredSample sample;
        std::vector<double> values;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<double>(dice.roll(0, 30));
            const std::int64_t weight = dice.roll(1, 5);
            sample.ended(value, weight);
            values.insert(values.end(), static_cast<std::size_t>(weight), value);
        }
        std::ranges::sort(values);
        for (const int p : {10, 500, 950, 990, 1000}) {
            const auto n = static_cast<std::int64_t>(values.size());
            const std::int64_t rank = (p * n + 999) / 1000;
            const sim::Metric metric = percentile(sample, p);
            CHECK(metric.value == values[static_cast<std::size_t>(rank - 1)]);
            CHECK(!metric.at_least);
        }
    }
}

TEST_CASE("censored sample: the product-limit estimator of a published example",
          "[sim][censored]") {
    // The remissions of 21 patients in weeks (Freireich et al., 1963), some of which still went on.
    // The share that is longer is 0.8571 from 6 weeks on, 0.8067 from 7, 0.7529 from 10, 0.6902
    // from 13, 0.6275 from 16, 0.5378 from 22 and 0.4482 from 23.
    sim::CensoredSample sample;
    for (const double ended : {6, 6, 6, 7, 10, 13, 16, 22, 23}) {
        sample.ended(ended, 1);
    }
    for (const double going_on : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) {
        sample.going_on(going_on, 1);
    }
    CHECK(percentile(sample, 100).value == 6);
    CHECK(percentile(sample, 193).value == 7);
    CHECK(percentile(sample, 247).value == 10);
    CHECK(percentile(sample, 248).value == 13);
    CHECK(percentile(sample, 309).value == 13);
    CHECK(percentile(sample, 310).value == 16);
    CHECK(percentile(sample, 500).value == 23);
    CHECK(percentile(sample, 551).value == 23);
    const sim::Metric not_reached = percentile(sample, 552);
    CHECK(!not_reached.value);
    CHECK(not_reached.at_least == 17);  // the twelfth of the 21, whatever happens later
    CHECK(percentile(sample, 950).at_least == 34);
}

TEST_CASE("censored sample: 968 of 1000 that never end leave the p95 not reached",
          "[sim][censored]") {
    sim::CensoredSample sample;
    sample.ended(0, 32);
    sample.going_on(3600, 968);
    sample.never_started(968);
    const sim::Metric p95 = percentile(sample, 950);
    CHECK(p95.name == "wait_p95");
    CHECK(!p95.value);
    CHECK(p95.at_least == 3600);
    CHECK(p95.never_started == Approx(0.968));
    CHECK(percentile(sample, 32).value == 0);
    const sim::Metric mean = sample.mean("wait_mean");
    CHECK(mean.value == 0);
    CHECK(mean.at_least == Approx(0.968 * 3600));
    CHECK(mean.never_started == Approx(0.968));
}

TEST_CASE(
    "censored sample: what is dropped counts among those that never started, and not in the "
    "statistics",
    "[sim][censored]") {
    sim::CensoredSample sample;
    sample.ended(5, 1);
    sample.never(3);
    sample.never_started(3);
    const sim::Metric max = percentile(sample, 1000);
    CHECK(max.name == "wait_max");
    CHECK(max.value == 5);
    CHECK(max.never_started == 0.75);
    CHECK(sample.mean("m").value == 5);
    CHECK(!sample.mean("m").at_least);
    CHECK(!sim::CensoredSample().mean("m").value);
    CHECK(!sim::CensoredSample().mean("m").never_started);
}

TEST_CASE("censored sample: all at once, the statistics are those asked for one by one",
          "[sim][censored]") {
    tests::Dice dice(13);
    for (int round = 0; round < 300; ++round) {
        sim::CensoredSample sample;
        const std::int64_t count = dice.roll(0, 40);
        const bool plain = dice.chance(60);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<double>(dice.roll(0, 200) * 7 % 31);
            if (plain || dice.chance(80)) {
                sample.ended(value + (plain ? static_cast<double>(i) / 64 : 0));
            } else {
                sample.going_on(value);
            }
        }
        const std::vector<int> asked{10, 500, 950, 990, 1000};
        std::vector<sim::Metric> one_by_one{sample.mean("wait_mean")};
        sample.add_percentiles(one_by_one, "wait", asked);
        std::vector<sim::Metric> at_once;
        std::move(sample).add_statistics(at_once, "wait", asked);
        REQUIRE(at_once.size() == one_by_one.size());
        for (std::size_t i = 0; i < at_once.size(); ++i) {
            CAPTURE(round, at_once[i].name);
            CHECK(at_once[i].name == one_by_one[i].name);
            CHECK(at_once[i].value == one_by_one[i].value);
            CHECK(at_once[i].at_least == one_by_one[i].at_least);
            CHECK(at_once[i].never_started == one_by_one[i].never_started);
        }
    }
}

TEST_CASE("censored sample: in buckets, percentiles are as near as is said, and means are exact",
          "[sim][censored]") {
    tests::Dice dice(11);
    for (const bool censored : {false, true}) {
        sim::CensoredSample exact;
        sim::CensoredSample buckets;
        buckets.count_in_buckets();
        for (int i = 0; i < 20'000; ++i) {
            const double value =
                dice.chance(10) ? 0 : std::exp2(static_cast<double>(dice.roll(-200, 300)) / 10);
            const std::int64_t weight = dice.roll(1, 3);
            for (sim::CensoredSample* sample : {&exact, &buckets}) {
                if (censored && i % 3 == 0) {
                    sample->going_on(value, weight);
                    sample->never_started(i % 2);
                } else {
                    sample->ended(value, weight);
                }
            }
        }
        CAPTURE(censored);
        const sim::Metric mean = exact.mean("wait");
        const sim::Metric estimate = buckets.mean("wait");
        CHECK(estimate.value.value() == Approx(mean.value.value()).epsilon(1e-13));
        CHECK(estimate.spread.value() == Approx(mean.spread.value()).epsilon(1e-10));
        CHECK(estimate.at_least.has_value() == censored);
        CHECK(estimate.at_least.value_or(0) == Approx(mean.at_least.value_or(0)).epsilon(1e-13));
        CHECK(estimate.never_started == mean.never_started);
        for (int p = 5; p <= 1000; p += 5) {
            CAPTURE(p);
            const sim::Metric wanted = percentile(exact, p);
            const sim::Metric found = percentile(buckets, p);
            REQUIRE(found.value.has_value() == wanted.value.has_value());
            const double is = found.value.value_or(found.at_least.value_or(0));
            const double should = wanted.value.value_or(wanted.at_least.value_or(0));
            CHECK(std::abs(is - should) <= should * sim::ValueBuckets::relative_error);
        }
        if (!censored) {
            CHECK(percentile(buckets, 1000).value == percentile(exact, 1000).value);
            CHECK(percentile(buckets, 50).value == 0);
        }
    }
}

TEST_CASE("censored sample: more than a million values are counted in buckets, and samples merge",
          "[sim][censored]") {
    const auto fill = [](sim::CensoredSample& sample, std::size_t from, std::size_t count) {
        for (std::size_t i = from; i < from + count; ++i) {
            sample.ended(static_cast<double>(i * 7919 % 1'000'003));
        }
    };
    sim::CensoredSample exact;
    fill(exact, 0, sim::CensoredSample::values_max);
    CHECK_FALSE(exact.counts_in_buckets());
    std::vector<double> values;
    for (std::size_t i = 0; i < sim::CensoredSample::values_max; ++i) {
        values.push_back(static_cast<double>(i * 7919 % 1'000'003));
    }
    std::ranges::sort(values);
    CHECK(percentile(exact, 500).value == values[sim::CensoredSample::values_max / 2 - 1]);
    sim::CensoredSample one;
    fill(one, 0, sim::CensoredSample::values_max + 1);
    CHECK(one.counts_in_buckets());
    CHECK(percentile(one, 500).value.value() == Approx(500'000).epsilon(0.002));
    CHECK(percentile(one, 500).value != 500'000);

    sim::CensoredSample merged;
    sim::CensoredSample half;
    fill(merged, 0, 600'000);
    fill(half, 600'000, 400'001);
    merged.add(half);
    CHECK(merged.counts_in_buckets());
    std::vector<sim::Metric> of_one;
    std::vector<sim::Metric> of_merged;
    one.add_percentiles(of_one, "wait", {10, 500, 950, 1000});
    merged.add_percentiles(of_merged, "wait", {10, 500, 950, 1000});
    for (std::size_t i = 0; i < of_one.size(); ++i) {
        CHECK(of_one[i].value == of_merged[i].value);
    }
    CHECK(merged.mean("").value.value() == Approx(one.mean("").value.value()).epsilon(1e-14));
    CHECK(merged.mean("").spread.value() == Approx(one.mean("").spread.value()).epsilon(1e-12));
    sim::CensoredSample buckets;
    buckets.count_in_buckets();
    buckets.add(one);
    CHECK(percentile(buckets, 950).value == percentile(one, 950).value);
    CHECK(buckets.mean("").spread.value() == Approx(one.mean("").spread.value()).epsilon(1e-12));
}

TEST_CASE("censored sample: the share above a limit is that of the estimator", "[sim][censored]") {
    // The remissions of the example above: what goes on at a limit counts as longer than it.
    sim::CensoredSample sample;
    for (const double ended : {6, 6, 6, 7, 10, 13, 16, 22, 23}) {
        sample.ended(ended, 1);
    }
    for (const double going_on : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) {
        sample.going_on(going_on, 1);
    }
    const auto above = [&](double limit) { return sample.share_above("share", limit).value; };
    CHECK(above(5.9) == 1);
    CHECK(above(6).value() == Approx(0.8571).epsilon(1e-4));
    CHECK(above(9.5).value() == Approx(0.8067).epsilon(1e-4));
    CHECK(above(10).value() == Approx(0.7529).epsilon(1e-4));
    CHECK(above(22.5).value() == Approx(0.5378).epsilon(1e-4));
    CHECK(above(34).value() == Approx(0.4482).epsilon(1e-4));
    CHECK(!above(35));  // the last one goes on: nothing is known of what is longer
    CHECK(sample.share_above("share", 35).at_least == 0);
}

TEST_CASE("censored sample: without censored values, the share above a limit is counted",
          "[sim][censored]") {
    sim::CensoredSample sample;
    CHECK(!sample.share_above("share", 1).value);
    sample.ended(0, 6);
    sample.ended(5, 3);
    sample.ended(9, 1);
    CHECK(sample.share_above("share", 0).value == 0.4);
    CHECK(sample.share_above("share", 5).value == 0.1);
    CHECK(sample.share_above("share", 9).value == 0);
    CHECK(sample.share_above("share", 4.9).name == "share");
}
