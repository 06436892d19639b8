#include "experiments/program/results/headline.hpp"

#include <catch2/catch.hpp>

using namespace berth::report;

namespace {

MetricSummary metric(const std::string& name, double mean, double ci95 = 0, double max = 1e9) {
    MetricSummary out;
    out.name = name;
    out.mean = mean;
    out.ci95 = ci95;
    out.max = max;
    out.count = ci95 > 0 ? 20 : 1;
    return out;
}

std::vector<std::string> lines(const std::vector<MetricSummary>& metrics) {
    std::vector<std::string> out;
    for (const HeadlineNumber& number : headline(metrics)) {
        CHECK_FALSE(number.meaning.empty());
        out.push_back(number.label + ": " + with_interval(number));
    }
    return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("headline: values have the digits that their interval carries", "[report][headline]") {
    const auto text = [](std::string_view unit, double value, std::optional<double> half) {
        const ValueText out = value_text(unit, value, half);
        return out.value + (out.half.empty() ? "" : " +- " + out.half);
    };
    CHECK(text("s", 1486.3, 766.2) == "25 min +- 13 min");
    CHECK(text("s", 1504.3, 9.5) == "25.07 min +- 0.16 min");
    CHECK(text("s", 1486.3, std::nullopt) == "24.8 min");
    CHECK(text("s", 0, std::nullopt) == "0 s");
    CHECK(text("s", 119, 0.5) == "119.00 s +- 0.50 s");
    CHECK(text("s", 90'000, std::nullopt) == "25 h");
    CHECK(text("s", 400'000, 40'000) == "4.63 d +- 0.46 d");
    CHECK(text("share", 0.6823, 0.013) == "68.2 % +- 1.3 %");
    CHECK(text("share", 1, std::nullopt) == "100 %");
    CHECK(text("share", 0.75, 4.967e-16) == "75 %");  // rounding of equal replications
    CHECK(text("%", 12.345, std::nullopt) == "12.3 %");
    CHECK(text("pods", 12345, std::nullopt) == "12345 pods");
    CHECK(text("", 0.98, 0.0123) == "0.980 +- 0.012");
}

TEST_CASE("headline: what started, how long it waited, how far the GPUs were used and why not",
          "[report][headline]") {
    CHECK(lines({metric("pods_submitted", 1000),
                 metric("success_rate", 0.968, 0.0042),
                 metric("wait_s_mean", 1486, 76),
                 metric("wait_s_p95", 7300, 510),
                 metric("constraints_met", 0.5),
                 metric("cpu_utilization", 0.3),
                 metric("nvidia.com/gpu_utilization", 0.68, 0.013),
                 metric("gpu_time_idle_quota", 0.02),
                 metric("gpu_time_idle_fragmented", 0.12, 0.02),
                 metric("makespan_s", 86'400)}) ==
          Lines{"pods that started: 96.80 ± 0.42 %",
                "mean wait of a pod: 24.8 ± 1.3 min",
                "95th percentile of pods' waits: 2.03 ± 0.14 h",
                "GPUs in use: 68.0 ± 1.3 %",
                "largest cause of idle GPUs: fragmented: 12.0 ± 2.0 %",
                "groups placed as all constraints ask: 50 %"});
}

TEST_CASE("headline: GPUs that are drained or kept free are idle too", "[report][headline]") {
    CHECK(lines({metric("gpu_time_drained", 0.03),
                 metric("gpu_time_idle_failed", 0.01),
                 metric("gpu_time_redone", 0.2),
                 metric("gpu_time_spare", 0.06),
                 metric("makespan_s", 3600)}) ==
          Lines{"largest cause of idle GPUs: spare: 6 %", "last job finished at: 60 min"});
}

TEST_CASE("headline: an interval wider than its number names the unit", "[report][headline]") {
    CHECK(lines({metric("wait_s_mean", 66, 309), metric("wait_s_p95", -27, 1318)}) ==
          Lines{"mean wait of a pod: 1.1 ± 5.2 min", "95th percentile of pods' waits: 0 ± 22 min"});
}

TEST_CASE("headline: CPUs stand for GPUs where there are none", "[report][headline]") {
    CHECK(lines({metric("wait_s_mean", 7),
                 metric("memory_utilization", 0.9),
                 metric("cpu_utilization", 0.25)}) ==
          Lines{"mean wait of a pod: 7 s", "CPUs in use: 25 %"});
}

TEST_CASE("headline: of devices, what machines can have at all", "[report][headline]") {
    CHECK(lines({metric("same_nvlink", 0),
                 metric("same_nvlink_attainable", 0),
                 metric("same_numa", 0.9),
                 metric("same_numa_attainable", 1)}) == Lines{"pods on one NUMA node: 90 %"});
}

TEST_CASE("headline: waits are left out where nobody waited, and a bound is said to be one",
          "[report][headline]") {
    MetricSummary bound;
    bound.name = "wait_s_p95";
    bound.at_least = 7200;
    CHECK(lines({metric("wait_s_mean", 0, 0, 0), bound}) ==
          Lines{"95th percentile of pods' waits: more than 2 h"});
    CHECK(headline({}).empty());
}

TEST_CASE("headline: where only those that started at once have a wait, the mean is a bound",
          "[report][headline]") {
    MetricSummary wait = metric("wait_s_mean", 0, 0, 0);
    CHECK(lines({metric("makespan_s", 3600), wait}) == Lines{"last job finished at: 60 min"});
    wait.at_least = 1984.9;
    CHECK(lines({metric("makespan_s", 3600), wait}) ==
          Lines{"mean wait of a pod: more than 33.1 min", "last job finished at: 60 min"});
}

TEST_CASE("headline: a mean of those that started is a bound where many did not",
          "[report][headline]") {
    MetricSummary wait = metric("wait_s_mean", 300, 60, 600);
    wait.at_least = 359;
    CHECK(lines({metric("makespan_s", 3600), wait}) ==
          Lines{"mean wait of a pod: 5.0 ± 1.0 min", "last job finished at: 60 min"});
    wait.at_least = 518400;
    CHECK(lines({metric("makespan_s", 3600), wait}) ==
          Lines{"mean wait of a pod: more than 6 d", "last job finished at: 60 min"});
}

TEST_CASE("headline: what failures leave, or else what they took", "[report][headline]") {
    const MetricSummary lost = metric("work_lost_s", 5000, 40);
    CHECK(lines({lost, metric("ettr_mean", 0.9145, 0.0024)}) ==
          Lines{"effective training time of jobs (ETTR): 91.45 ± 0.24 %"});
    CHECK(lines({lost}) == Lines{"work lost to evictions: 5000 ± 40 pod-seconds"});
}
