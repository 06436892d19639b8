#include "sim/meter/censored_sample.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
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
    // Remissions of 21 patients in weeks (Freireich et al., 1963), some of which still went on: the
    // share that is longer is 0.8571 from 6 weeks on, 0.8067 from 7, 0.7529 from 10, 0.6902 from
    // 13, 0.6275 from 16, 0.5378 from 22 and 0.4482 from 23.
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
    CHECK(not_reached.at_least == 17);  // the twelfth of the 21, whatever comes
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
