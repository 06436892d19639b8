#include <catch2/catch.hpp>

#include "experiments/report/arrival_series.hpp"

using namespace berth;

namespace {

/// Of one replication: rows of arrived, allocated, and what is free and usable; the rest of the
/// cluster's 10 000 is CPU that lacks.
report::ReplicationSeries replication(const std::vector<std::array<double, 3>>& rows) {
    report::ReplicationSeries one;
    one.values.resize(2 + report::fragment_columns.size());
    for (const auto& [arrived, allocated, usable] : rows) {
        one.time_s.push_back(static_cast<double>(one.time_s.size()));
        std::vector<double> row(2 + report::fragment_columns.size());
        row[0] = arrived;
        row[1] = allocated;
        row[4] = usable;                       // q3_satisfied
        row[5] = 10'000 - allocated - usable;  // q4_lack_cpu
        for (std::size_t column = 0; column < row.size(); ++column) {
            one.values[column].push_back(row[column]);
        }
    }
    return one;
}

report::TimeSeries series(std::vector<report::ReplicationSeries> replications) {
    report::TimeSeries out;
    out.columns = {"gpu_arrived_milli", "gpu_allocated_milli"};
    out.columns.insert(
        out.columns.end(), report::fragment_columns.begin(), report::fragment_columns.end());
    out.replications = std::move(replications);
    return out;
}

}  // namespace

TEST_CASE("arrival series: the mean of a bin, the median over replications", "[report]") {
    // 10 % arrived: two samples of the first replication, allocated 10 and 8 % on average 9.
    const auto result = report::arrival_series(
        series({replication({{980, 1000, 8000}, {1020, 800, 8000}, {2000, 2000, 4000}}),
                replication({{1000, 500, 9500}, {2000, 1500, 0}}),
                replication({{1000, 700, 0}, {1500, 700, 0}, {2000, 1000, 4500}})}));
    REQUIRE(result);
    CHECK(result->arrived_pct == std::vector<int>{10, 20});  // not 15: one replication alone has it
    CHECK(result->unallocated_pct.median[0] == Approx(93));  // of 91, 95, 93
    CHECK(result->unallocated_pct.low[0] == Approx(92));
    CHECK(result->unallocated_pct.high[0] == Approx(94));
    // Of the free at 20 %: 4000 of 8000, all of 8500, 4500 of 9000.
    CHECK(result->frag_ratio_pct.median[1] == Approx(50));
    CHECK(result->frag_pct.median[1] == Approx(45));
    CHECK(result->class_pct[2][1] == Approx(40));
    CHECK(result->class_pct[3][1] == Approx(45));
}

TEST_CASE("arrival series: halves go to the even bin, and 0 of 0 is no ratio", "[report]") {
    const auto result = report::arrival_series(
        series({replication({{50, 0, 10'000}, {150, 10'000, 0}, {250, 10'000, 0}})}));
    REQUIRE(result);
    CHECK(result->arrived_pct == std::vector<int>{0, 2});
    CHECK(result->frag_ratio_pct.median == std::vector<double>{0, 0});
}

TEST_CASE("arrival series: a run that measured nothing has none", "[report]") {
    report::TimeSeries other;
    other.columns = {"pods_running"};
    other.replications.emplace_back();
    CHECK_FALSE(report::arrival_series(other));
    CHECK_FALSE(report::arrival_series(series({})));
    CHECK_FALSE(report::arrival_series(series({replication({})})));
}
