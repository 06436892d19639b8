#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "sim/clock/random.hpp"
#include "workloads/sources.hpp"

using namespace berth;
using namespace std::chrono_literals;
using workloads::Distribution;
using workloads::DistributionKind;
using workloads::Renewal;

namespace {

constexpr std::uint64_t jobs_drawn = 500;

Distribution exponential(double mean) {
    return {DistributionKind::exponential, mean, 0, {}, {}};
}

Distribution log_normal(double mean, double variation) {
    return {DistributionKind::log_normal, mean, variation, {}, {}};
}

/// Two kinds of jobs; one job comes in 100 seconds on average.
Renewal two_kinds() {
    Renewal renewal;
    renewal.name = "generate";
    renewal.arrivals = exponential(100);
    renewal.service = exponential(80);
    renewal.count = jobs_drawn;
    for (const char* name : {"small", "large"}) {
        sim::Job job;
        job.name = name;
        renewal.mix.push_back({job, 1, std::nullopt});
    }
    return renewal;
}

struct Drawn {
    std::vector<sim::SimTime> submits;
    std::vector<std::string> names;
    std::vector<sim::SimTime> services;
};

Drawn draw(const Renewal& renewal, std::uint64_t seed = 1) {
    Drawn out;
    const auto source = workloads::make_renewal(renewal, seed);
    while (const auto job = source->next()) {
        out.submits.push_back(job->submit);
        out.names.push_back(job->name);
        out.services.push_back(job->duration.value_or(0s));
    }
    return out;
}

/// The mean wait of these jobs at one server that takes them in order (Lindley's recursion).
double mean_wait(const Drawn& jobs) {
    double wait = 0;
    double sum = 0;
    for (std::size_t job = 1; job < jobs.submits.size(); ++job) {
        wait += sim::seconds(jobs.services[job - 1]);
        wait -= sim::seconds(jobs.submits[job] - jobs.submits[job - 1]);
        wait = std::max(0.0, wait);
        sum += wait;
    }
    return sum / static_cast<double>(jobs.submits.size());
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double covariance(const std::vector<double>& x, const std::vector<double>& y) {
    const double mean_x = mean(x);
    const double mean_y = mean(y);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return sum;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
    return covariance(x, y) / std::sqrt(covariance(x, x) * covariance(y, y));
}

}  // namespace

TEST_CASE("streams: another service law moves no arrival and no choice of the mix",
          "[workloads][streams]") {
    const Drawn before = draw(two_kinds());
    REQUIRE(before.submits.size() == jobs_drawn);
    Renewal other = two_kinds();
    other.service = GENERATE(std::optional<Distribution>(log_normal(80, 3)),
                             Distribution{DistributionKind::constant, 80, 0, {}, {}},
                             std::optional<Distribution>());
    const Drawn after = draw(other);
    CHECK(after.submits == before.submits);
    CHECK(after.names == before.names);
    CHECK(after.services != before.services);
}

TEST_CASE("streams: the k-th job keeps its service whatever arrivals and mix are",
          "[workloads][streams]") {
    const Drawn before = draw(two_kinds());
    Renewal other = two_kinds();
    SECTION("another arrival law") {
        other.arrivals = log_normal(70, 2);
    }
    SECTION("by the time of day") {
        other.diurnal = workloads::Diurnal{24h, 0.9, 14h};
    }
    SECTION("in bursts") {
        other.bursts = workloads::Bursts{1h, 10min, 5};
    }
    const Drawn after = draw(other);
    CHECK(after.services == before.services);
    CHECK(after.names == before.names);
    CHECK(after.submits != before.submits);
}

TEST_CASE("streams: one kind's service is drawn without regard to the other's",
          "[workloads][streams]") {
    const Drawn before = draw(two_kinds());
    Renewal other = two_kinds();
    other.mix[0].service = log_normal(10, 2);
    const Drawn after = draw(other);
    CHECK(after.submits == before.submits);
    std::size_t large = 0;
    for (std::size_t job = 0; job < jobs_drawn; ++job) {
        if (before.names[job].starts_with("large")) {
            ++large;
            REQUIRE(after.services[job] == before.services[job]);
        }
    }
    CHECK(large > jobs_drawn / 3);
}

TEST_CASE("streams: more jobs begin with the same jobs", "[workloads][streams]") {
    const Drawn few = draw(two_kinds());
    Renewal more = two_kinds();
    more.count = 2 * jobs_drawn;
    Drawn many = draw(more);
    many.submits.resize(jobs_drawn);
    many.services.resize(jobs_drawn);
    CHECK(many.submits == few.submits);
    CHECK(many.services == few.services);
}

TEST_CASE("streams: sources of other names draw other numbers", "[workloads][streams]") {
    Renewal other = two_kinds();
    other.name = "other";
    const Drawn a = draw(two_kinds());
    const Drawn b = draw(other);
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t job = 0; job < jobs_drawn; ++job) {
        x.push_back(sim::seconds(a.services[job]));
        y.push_back(sim::seconds(b.services[job]));
    }
    CHECK(std::abs(correlation(x, y)) < 5 / std::sqrt(static_cast<double>(jobs_drawn)));
}

TEST_CASE("streams: under common seeds mean waits of two service laws are correlated",
          "[workloads][streams]") {
    // Measured over 200 seeds of 200 jobs at a load of 0.8: 0.99 and above with one series for each
    // purpose, 0.1 with one stream for everything.
    Renewal first = two_kinds();
    first.count = 200;
    Renewal second = first;
    second.service = Distribution{DistributionKind::weibull, 0.9, 76.03, {}, {}};
    std::vector<double> x;
    std::vector<double> y;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        x.push_back(mean_wait(draw(first, seed)));
        y.push_back(mean_wait(draw(second, seed)));
    }
    CHECK(correlation(x, y) > 0.98);
}

TEST_CASE("seeds: two base seeds share no replication, and JSON holds each exactly",
          "[workloads][streams]") {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t base = 0; base < 100; ++base) {
        for (std::uint32_t replication = 0; replication < 1000; ++replication) {
            const std::uint64_t seed = sim::replication_seed(base, replication);
            REQUIRE(seed < std::uint64_t{1} << 53);
            seeds.insert(seed);
        }
    }
    CHECK(seeds.size() == 100'000);
    CHECK(sim::replication_seed(7, 3) == sim::replication_seed(7, 3));
}

TEST_CASE("random series: numbers are uniform, apart from 0 and 1, and found in any order",
          "[workloads][streams]") {
    const sim::RandomSeries series(1, "test");
    constexpr std::uint64_t count = 100'000;
    std::vector<double> bins(20);
    std::vector<double> numbers;
    std::vector<double> next;
    for (std::uint64_t index = 0; index < count; ++index) {
        const double u = series.uniform(index);
        REQUIRE(u > 0);
        REQUIRE(u < 1);
        bins[static_cast<std::size_t>(u * static_cast<double>(bins.size()))] += 1;
        numbers.push_back(u);
        next.push_back(series.uniform(index + 1));
    }
    CHECK(series.uniform(7) == numbers[7]);
    const double expected = static_cast<double>(count) / static_cast<double>(bins.size());
    double chi_square = 0;
    for (const double bin : bins) {
        chi_square += (bin - expected) * (bin - expected) / expected;
    }
    CHECK(chi_square < 43.8);  // 0.999 of a chi-square distribution with 19 degrees of freedom
    CHECK(std::abs(correlation(numbers, next)) < 4 / std::sqrt(static_cast<double>(count)));
}
