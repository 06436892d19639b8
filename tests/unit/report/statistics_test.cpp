#include "experiments/program/results/statistics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/program/support/interval_text.hpp"

using namespace berth::report;

TEST_CASE("statistics: whole numbers get a class each", "[report][statistics]") {
    const Histogram histogram = make_histogram({8, 7, 8, 10, 7, 8});
    CHECK(histogram.whole);
    CHECK(histogram.from == 7);
    CHECK(histogram.counts == std::vector<std::size_t>{2, 3, 0, 1});
}

TEST_CASE("statistics: every value is in a class, and classes are few", "[report][statistics]") {
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) {
        values.push_back(std::exp(std::sin(i) * 4) - 3);
    }
    for (const double scale : {1e-6, 1.0, 3e7}) {
        std::vector<double> scaled = values;
        std::ranges::transform(scaled, scaled.begin(), [&](double v) { return v * scale; });
        const Histogram histogram = make_histogram(scaled);
        CHECK(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::size_t{0}) ==
              5000);
        CHECK(histogram.counts.size() <= 60);
        CHECK(histogram.counts.size() >= 5);
        CHECK(histogram.from <= *std::ranges::min_element(scaled));
    }
}

TEST_CASE("statistics: one value alone makes one class", "[report][statistics]") {
    CHECK(make_histogram({0.25, 0.25}).counts == std::vector<std::size_t>{2});
    CHECK(make_histogram({-3.5}).counts == std::vector<std::size_t>{1});
    CHECK(make_histogram({}).counts.empty());
}

TEST_CASE("statistics: a distribution is summed up", "[report][statistics]") {
    const Distribution d = describe_replications({"x", {5, 1, 2, 4, 3}});
    CHECK(d.mean == 3);
    CHECK(d.sd == Approx(std::sqrt(2.5)));
    CHECK(d.ci95.value() == Approx(2.776445 * std::sqrt(2.5) / std::sqrt(5.0)));  // t of 4 degrees
    CHECK(d.median == 3);
    CHECK(d.lower_quartile == 2);
    CHECK(d.p95 == Approx(4.8));
    const Distribution one = describe_replications({"y", {7}});
    CHECK(one.sd == 0);
    CHECK_FALSE(one.ci95.has_value());
    CHECK(one.max == 7);
}

TEST_CASE("statistics: pods of a run are not independent, and have no interval",
          "[report][statistics]") {
    const Distribution d = describe({"wait_s", {5, 1, 2, 4, 3}});
    CHECK(d.median == 3);
    CHECK_FALSE(d.ci95.has_value());
}

TEST_CASE("interval text: a mean has the digits that its interval carries", "[report]") {
    CHECK(with_interval(18.2567, 0.2712) == "18.26 ± 0.27");
    CHECK(with_interval(1486.38, 766.2) == "1486 ± 766");
    CHECK(with_interval(1486.38, 7.662) == "1486.4 ± 7.7");
    CHECK(with_interval(-0.001, 0.5) == "0.00 ± 0.50");
    CHECK(with_interval(0.000012345, 0.0000012) == "0.0000123 ± 0.0000012");
    CHECK(with_interval(18.2567, std::nullopt) == "18.26");
    CHECK(with_interval(123456, 0) == "123456");
    CHECK(with_interval(75, 4.967e-14) == "75");  // this is the rounding of equal replications
    CHECK(text_to_interval(5, 1e-9) == "5");
}

TEST_CASE("interval text: the page writes the same digits", "[report]") {
    std::ifstream file(BERTH_SOURCE_DIR
                       "/tests/page/intervals.json");  // the page's tests read it too
    const nlohmann::json cases = nlohmann::json::parse(file);
    CHECK(cases.size() > 10);
    for (const nlohmann::json& one : cases) {
        CAPTURE(one.dump());
        CHECK(text_to_interval(one["value"], one["ci95"]) == one["text"].get<std::string>());
    }
}

TEST_CASE("statistics: Student's t stays right beyond its table", "[report][statistics]") {
    std::vector<double> values;
    for (int i = 0; i < 41; ++i) {
        values.push_back(i % 2);
    }
    const Distribution d = describe_replications({"x", values});
    CHECK(d.ci95.value() * std::sqrt(41.0) / d.sd == Approx(2.0211).epsilon(0.0005));  // 40 degrees
}

TEST_CASE("statistics: downsampling keeps the peaks, the ends and the order",
          "[report][statistics]") {
    ReplicationSeries series{0, {}, {{}, {}}};
    for (int i = 0; i < 10000; ++i) {
        series.time_s.push_back(i);
        series.values[0].push_back(i == 4321 ? 99 : i == 8765 ? -99 : 0);
        series.values[1].push_back(i);
    }
    const ReplicationSeries kept = downsample(series, 50);
    CHECK(kept.time_s.size() == 102);
    CHECK(std::ranges::is_sorted(kept.time_s));
    CHECK(*std::ranges::max_element(kept.values[0]) == 99);
    CHECK(*std::ranges::min_element(kept.values[0]) == -99);
    CHECK(kept.time_s.back() == 9999);
    CHECK(std::ranges::is_sorted(kept.values[1]));
    CHECK(downsample(series, 5000).time_s.size() == 10000);  // short enough as it is
}

TEST_CASE("statistics: downsampling passes over missing values", "[report][statistics]") {
    ReplicationSeries series{0, {}, {{}}};
    for (int i = 0; i < 100; ++i) {
        series.time_s.push_back(i);
        series.values[0].push_back(i == 50 ? 7 : std::numeric_limits<double>::quiet_NaN());
    }
    const ReplicationSeries kept = downsample(series, 4);
    CHECK(std::ranges::count(kept.values[0], 7.0) >= 1);
}

TEST_CASE("statistics: replications join on one grid, holding their last values",
          "[report][statistics]") {
    TimeSeries series;
    series.columns = {"x"};
    series.replications = {{0, {0, 10}, {{1, 3}}}, {1, {0, 5}, {{5, 7}}}};
    const SeriesBand band = join_replications(series, 11);
    REQUIRE(band.time_s.size() == 11);
    CHECK(band.time_s[5] == 5);
    CHECK(band.mean[0][4] == 3);  // 1 and 5
    CHECK(band.mean[0][5] == 4);  // 1 and 7
    CHECK(band.low[0][10] == 3);
    CHECK(band.high[0][10] == 7);
    series.replications[1].time_s = {0, 10};
    CHECK(join_replications(series, 11).time_s == std::vector<double>{0, 10});  // one grid already
}

TEST_CASE("statistics: a message is cut into its causes", "[report][statistics]") {
    CHECK(causes_of("0/480 nodes are available: 300 Insufficient nvidia.com/gpu, 180 node(s) "
                    "didn't match pod affinity.") ==
          std::vector<std::string>{"Insufficient nvidia.com/gpu",
                                   "node(s) didn't match pod affinity"});
    CHECK(causes_of("quota a is used up") == std::vector<std::string>{"quota a is used up"});
    CHECK(causes_of("quota a: 8 used + 4 requested > runtime 10 of cpu") ==
          std::vector<std::string>{"the quota a did not admit it"});
    CHECK(causes_of("0/3 nodes are available: ").size() == 1);
}
