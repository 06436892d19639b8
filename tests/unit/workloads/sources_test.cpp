#include <algorithm>

#include <catch2/catch.hpp>

#include "workloads/sources.hpp"

using namespace berth;
using namespace std::chrono_literals;
using workloads::Distribution;
using workloads::DistributionKind;

namespace {

std::vector<sim::Job> all_of(sim::PodSource& source) {
    std::vector<sim::Job> jobs;
    while (auto job = source.next()) {
        jobs.push_back(std::move(*job));
    }
    return jobs;
}

sim::Job named(std::string name, sim::SimTime submit) {
    sim::Job job;
    job.name = std::move(name);
    job.submit = submit;
    return job;
}

workloads::Renewal poisson(std::uint64_t count) {
    workloads::Renewal renewal;
    renewal.arrivals = {DistributionKind::exponential, 10, 0, {}, {}};
    renewal.service = {DistributionKind::constant, 60, 0, {}, {}};
    renewal.mix.push_back({named("job", 0s), 1, std::nullopt});
    renewal.count = count;
    return renewal;
}

}  // namespace

TEST_CASE("sources: merged by time, equal times in the order of the sources", "[workloads]") {
    std::vector<std::unique_ptr<sim::PodSource>> sources;
    sources.push_back(workloads::make_job_list({named("b", 5s), named("a", 1s)}));
    sources.push_back(workloads::make_job_list({named("c", 1s), named("d", 9s)}));
    std::string order;
    for (const sim::Job& job : all_of(*workloads::merge(std::move(sources)))) {
        order += job.name;
    }
    CHECK(order == "acbd");
}

TEST_CASE("renewal: as many as counted, as often as asked", "[workloads]") {
    const auto source = workloads::make_renewal(poisson(20'000), 1);
    const std::vector<sim::Job> jobs = all_of(*source);
    REQUIRE(jobs.size() == 20'000);
    CHECK(std::ranges::is_sorted(jobs, {}, &sim::Job::submit));
    CHECK(sim::seconds(jobs.back().submit) / 20'000 == Approx(10).epsilon(0.03));
    CHECK(jobs.back().duration == 60s);
    CHECK(jobs[7].name == "job-7");
}

TEST_CASE("renewal: none after its end", "[workloads]") {
    workloads::Renewal renewal = poisson(0);
    renewal.start = 100s;
    renewal.until = 200s;
    const auto source = workloads::make_renewal(std::move(renewal), 1);
    const std::vector<sim::Job> jobs = all_of(*source);
    REQUIRE_FALSE(jobs.empty());
    CHECK(jobs.front().submit >= 100s);
    CHECK(jobs.back().submit <= 200s);
}

TEST_CASE("renewal: a mix comes by weight, each with its own service", "[workloads]") {
    workloads::Renewal renewal = poisson(10'000);
    renewal.mix = {{named("small", 0s), 3, std::nullopt},
                   {named("large", 0s), 1, Distribution{DistributionKind::constant, 5, 0, {}, {}}}};
    const auto source = workloads::make_renewal(std::move(renewal), 1);
    double large = 0;
    for (const sim::Job& job : all_of(*source)) {
        const bool is_large = job.name.starts_with("large");
        large += is_large ? 1 : 0;
        REQUIRE(job.duration == (is_large ? 5s : 60s));
    }
    CHECK(large / 10'000 == Approx(0.25).margin(0.02));
}

TEST_CASE("random bits: a source draws the same whatever else there is", "[workloads]") {
    CHECK(sim::random_bits(1, "a")() == sim::random_bits(1, "a")());
    CHECK(sim::random_bits(1, "a")() != sim::random_bits(1, "b")());
    CHECK(sim::random_bits(1, "a")() != sim::random_bits(2, "a")());
}
