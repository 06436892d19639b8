#include <cmath>

#include <catch2/catch.hpp>

#include "experiments/program/run/warnings.hpp"

using namespace berth;

namespace {

using Replications = std::vector<std::vector<sim::Metric>>;

/// Replications with these mean waits, in each of which single waits deviate by `spread`.
Replications with_waits(const std::vector<double>& means, double spread) {
    Replications out;
    for (const double mean : means) {
        sim::Metric wait{"job_wait_s_mean", mean};
        wait.spread = spread;
        out.push_back({wait, {"job_wait_s_p95", 3 * mean}, {"job_wait_s_p99", 5 * mean}});
    }
    return out;
}

/// Mean waits whose variance is 10.
const std::vector<double> five_means{96, 98, 100, 102, 104};

}  // namespace

TEST_CASE("short run: three independent waits have to lie beyond a percentile",
          "[experiments][summary]") {
    // 59 independent waits: 2.95 lie beyond the 95th percentile, 0.59 beyond the 99th.
    const Replications few = with_waits(five_means, std::sqrt(590.0));
    const auto p95 = experiments::short_run_warning(few, 95);
    REQUIRE(p95);
    CHECK_THAT(*p95, Catch::Contains("has about 59 independent waits"));
    CHECK_THAT(*p95, Catch::Contains("job_wait_s_p95 needs 60"));
    CHECK_THAT(*p95, Catch::Contains("2 times as long"));
    const auto p99 = experiments::short_run_warning(few, 99);
    REQUIRE(p99);
    CHECK_THAT(*p99, Catch::Contains("job_wait_s_p99 needs 300"));
    CHECK_THAT(*p99, Catch::Contains("6 times as long"));

    CHECK_FALSE(experiments::short_run_warning(with_waits(five_means, std::sqrt(610.0)), 95));
    CHECK_FALSE(experiments::short_run_warning(with_waits(five_means, std::sqrt(3010.0)), 99));
}

TEST_CASE("short run: nothing is said of what does not vary, or of few replications",
          "[experiments][summary]") {
    CHECK_FALSE(experiments::short_run_warning(with_waits({96, 98, 102, 104}, 1), 95));
    CHECK_FALSE(experiments::short_run_warning(with_waits({0, 0, 0, 0, 0}, 0), 95));
    Replications constant = with_waits(five_means, 10);
    for (auto& metrics : constant) {
        metrics[1].value = 7;
    }
    CHECK_FALSE(experiments::short_run_warning(constant, 95));
    Replications censored = with_waits(five_means, 10);
    censored[3][0].value.reset();
    CHECK_FALSE(experiments::short_run_warning(censored, 95));
    CHECK_FALSE(experiments::short_run_warning(Replications(5), 95));
}
