#include <catch2/catch.hpp>
#include <map>
#include <span>
#include <string>

#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// One rack of `servers`, each with four GPUs, or four of something else.
std::shared_ptr<const core::Topology> rack(std::uint32_t servers, const std::string& resource) {
    core::ResourceSchema schema;
    schema.add(resource);
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 4 * schema.per_unit(0);
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < servers; ++server) {
        builder.add_server(0, "server-" + std::to_string(server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

core::Amount one_unit_of(const std::string& resource) {
    core::ResourceSchema schema;
    schema.add(resource);
    return schema.per_unit(0);
}

sim::Job job(std::string name,
             sim::SimTime submit,
             std::optional<sim::SimTime> duration,
             core::Members size) {
    sim::Job job;
    job.name = std::move(name);
    job.submit = submit;
    job.duration = duration;
    job.demand = {1};
    job.group = size > 1;
    job.size = job.min_available = size;
    job.constraints = core::LevelConstraints(2);
    return job;
}

class Nowhere final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
};

struct Run {
    explicit Run(std::vector<sim::Job> jobs,
                 const std::string& resource = "units",
                 sim::SimTime until = sim::never) {
        sim::Settings settings;
        settings.until = until;
        settings.profile.score = tests::by_scorer("first-fit");
        core::Ledger ledger(rack(2, resource));
        tests::ListSource source(std::move(jobs));
        Nowhere records;
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, records, control).run();
        for (const sim::Metric& metric : result.metrics) {
            metrics[metric.name] = metric;
        }
    }
    double operator[](const std::string& name) const {
        INFO(name);
        REQUIRE(metrics.contains(name));
        REQUIRE(metrics.at(name).value);
        return *metrics.at(name).value;
    }
    const sim::JobKind* kind(sim::JobTrait trait, const std::string& label) const {
        for (const sim::JobKind& kind : result.kinds) {
            if (kind.trait == trait && kind.label == label) {
                return &kind;
            }
        }
        return nullptr;
    }
    sim::RunResult result;
    std::map<std::string, sim::Metric> metrics;
};

}  // namespace

TEST_CASE("job metrics: a gang counts once, and by GPU as much as it asks for",
          "[sim][job-metrics]") {
    // The gang of eight has the cluster to itself; three single pods wait for it, for 100, 90 and
    // 80 s.
    std::vector<sim::Job> jobs{job("gang", 0s, 100s, 8)};
    for (int i = 1; i <= 3; ++i) {
        jobs.push_back(job("pod-" + std::to_string(i), (i - 1) * 10s, 50s, 1));
    }
    for (sim::Job& asking : jobs) {
        asking.demand = {one_unit_of("nvidia.com/gpu")};
    }
    const Run run(jobs, "nvidia.com/gpu");
    CHECK(run["wait_s_mean"] == Approx((100 + 90 + 80) / 11.0));
    CHECK(run["job_wait_s_mean"] == Approx((100 + 90 + 80) / 4.0));
    CHECK(run["gpu_wait_s_mean"] == Approx((100 + 90 + 80) / 11.0));
    CHECK(run["job_wait_s_p50"] == 80);
    CHECK(run["gpu_wait_s_p50"] == 0);
    CHECK(run["job_wait_s_p95"] == 100);
    CHECK(run["job_jct_s_mean"] == Approx((100 + 150 + 140 + 130) / 4.0));
    CHECK(run["job_bounded_slowdown_mean"] == Approx((1 + 3 + 2.8 + 2.6) / 4.0));
    CHECK(run.metrics.at("job_wait_s_mean").never_started == 0.0);
    CHECK(!run.metrics.at("job_wait_s_mean").at_least);

    const sim::JobKind* one = run.kind(sim::JobTrait::size, "gpus=1");
    REQUIRE(one != nullptr);
    CHECK(one->jobs == 3);
    CHECK(one->metrics[0].name == "job_wait_s_mean");
    CHECK(one->metrics[0].value == 90.0);
    REQUIRE(run.kind(sim::JobTrait::size, "gpus=5-8") != nullptr);
    CHECK(run.kind(sim::JobTrait::size, "gpus=5-8")->metrics[0].value == 0.0);
}

TEST_CASE("job metrics: jobs that still wait count at least as long as they have waited",
          "[sim][job-metrics]") {
    std::vector<sim::Job> jobs{job("forever", 0s, std::nullopt, 8)};
    for (int i = 0; i < 9; ++i) {
        jobs.push_back(job("pod-" + std::to_string(i), 10s, 50s, 1));
    }
    const Run run(jobs, "units", 100s);
    CHECK(!run.metrics.contains("gpu_wait_s_mean"));
    CHECK(run["job_wait_s_mean"] == 0);
    CHECK(run.metrics.at("job_wait_s_mean").at_least == 81.0);
    CHECK(run.metrics.at("job_wait_s_mean").never_started == 0.9);
    CHECK(!run.metrics.at("job_wait_s_p50").value);
    CHECK(run.metrics.at("job_wait_s_p50").at_least == 90.0);
    // A job that runs until the run ends has no completion time yet, and a waiting job will have
    // one some day.
    CHECK(!run.metrics.at("job_jct_s_mean").value);
    CHECK(run.metrics.at("job_jct_s_mean").at_least == 90.0);
    CHECK(run.metrics.at("job_bounded_slowdown_p50").at_least == Approx(1.8));
}

TEST_CASE("job metrics: jobs are told apart by quota, user, class and number of pods",
          "[sim][job-metrics]") {
    std::vector<sim::Job> jobs{job("a", 0s, 100s, 8), job("b", 0s, 10s, 2), job("c", 0s, 10s, 1)};
    jobs[0].user = "ann";
    jobs[1].user = jobs[2].user = "bob";
    jobs[1].job_class = "batch";
    jobs[0].quota = "team-a";
    const Run run(jobs);
    REQUIRE(run.kind(sim::JobTrait::user, "bob") != nullptr);
    CHECK(run.kind(sim::JobTrait::user, "bob")->jobs == 2);
    CHECK(run.kind(sim::JobTrait::user, "bob")->metrics[0].value == 100.0);
    CHECK(run.kind(sim::JobTrait::user, "ann")->metrics[0].value == 0.0);
    CHECK(run.kind(sim::JobTrait::job_class, "batch")->jobs == 1);
    CHECK(run.kind(sim::JobTrait::quota, "team-a")->jobs == 1);
    CHECK(run.kind(sim::JobTrait::quota, "")->jobs == 2);
    CHECK(run.kind(sim::JobTrait::size, "pods=1")->jobs == 1);
    CHECK(run.kind(sim::JobTrait::size, "pods=2-4")->jobs == 1);
    CHECK(run.kind(sim::JobTrait::size, "pods=5-8")->jobs == 1);
}
