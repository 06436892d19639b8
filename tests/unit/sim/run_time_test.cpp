#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/machine_allocators/machine_allocator.hpp"
#include "sim/job/run_time_tables.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// Two racks of two servers of four units each.
std::shared_ptr<const core::Topology> small_tree() {
    core::ResourceSchema schema;
    schema.add("units");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 4;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "rack-0");
    builder.add_node(0, "rack-1");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < 4; ++server) {
        builder.add_server(server / 2, "server-" + std::to_string(server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

sim::Job group(std::string name, core::Members size, sim::SimTime submit = 0s) {
    sim::Job job;
    job.name = std::move(name);
    job.submit = submit;
    job.duration = 100s;
    job.demand = {1};
    job.group = true;
    job.size = job.min_available = size;
    job.constraints = core::LevelConstraints(3);
    return job;
}

/// Training takes twice as long in a rack and three times as long in the cluster.
sim::Settings slowed() {
    sim::Settings settings;
    settings.run_time = {{"training", {3000, 2000, 1000}}, {"serving", {1500, 1000, 1000}}};
    return settings;
}

class Run final : public sim::RecordSink {
public:
    Run(std::vector<sim::Job> arriving, sim::Settings settings) {
        settings.profile.score = tests::by_scorer("first-fit");
        core::Ledger ledger(small_tree());
        tests::ListSource source(std::move(arriving));
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, *this, control).run();
    }
    void job(const sim::JobRecord& record) override { jobs.emplace(record.job.name, record); }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& /*record*/, const sim::Eviction& eviction) override {
        evictions.push_back(eviction);
    }
    std::optional<double> metric(const std::string& name) const {
        const auto found = std::ranges::find(result.metrics, name, &sim::Metric::name);
        return found == result.metrics.end() ? std::nullopt : found->value;
    }
    std::map<std::string, sim::JobRecord> jobs;
    std::vector<sim::Eviction> evictions;
    sim::RunResult result;
};

}  // namespace

TEST_CASE("run time: by the level at which a job's members meet", "[sim][run-time]") {
    // 4 members fit into a server and 8 into a rack; 16 take the whole cluster.
    const Run run({group("server", 4), group("rack", 8, 1000s), group("cluster", 16, 2000s)},
                  slowed());
    CHECK(run.jobs.at("server").finish == 100s);
    CHECK(run.jobs.at("rack").finish == 1200s);
    CHECK(run.jobs.at("cluster").finish == 2300s);
    // (4 x 1 + 8 x 2 + 16 x 3) / 28 pods.
    CHECK(run.metric("run_time_factor_mean") == Approx(68.0 / 28));
    // The slowdown comes from the time that the work takes, not from waiting.
    CHECK(run.metric("slowdown_mean") == Approx(68.0 / 28));
    CHECK(run.metric("wait_s_max") == 0.0);
    CHECK_FALSE(Run({group("a", 4)}, {}).metric("run_time_factor_mean"));
}

TEST_CASE("run time: by the job's class, an unknown one being the first", "[sim][run-time]") {
    sim::Job serving = group("serving", 16);
    serving.job_class = "serving";
    sim::Job other = group("other", 16, 1000s);
    other.job_class = "unheard of";
    const Run run({serving, other}, slowed());
    CHECK(run.jobs.at("serving").finish == 150s);
    CHECK(run.jobs.at("other").finish == 1300s);
}

TEST_CASE("run time: an evicted job goes on with the work that is left", "[sim][run-time]") {
    // 8 members run in rack 0 at half their speed. At 60 s a server of each rack fails: 30 s of
    // work are done, of which a third is lost. 80 s are left, and take 240 s on servers of two
    // racks.
    sim::Settings settings = slowed();
    settings.lost_work = 1.0 / 3;
    settings.node_changes = {{60s, core::ServerId{0}, false}, {60s, core::ServerId{2}, false}};
    const Run run({group("a", 8)}, settings);
    REQUIRE(run.evictions.size() == 1);
    CHECK(run.evictions[0].ran == 60s);
    CHECK(run.evictions[0].lost == 10s);
    CHECK(run.jobs.at("a").start == 60s);
    CHECK(run.jobs.at("a").finish == 300s);
    // All work is done again where nothing is kept.
    settings.lost_work = 1;
    CHECK(Run({group("a", 8)}, settings).jobs.at("a").finish == 360s);
}

TEST_CASE("run time: a change of size keeps the factor of the start", "[sim][run-time]") {
    sim::Job job = group("a", 4);
    job.resizes = {{50s, 16}};
    const Run run({job}, slowed());
    CHECK(run.jobs.at("a").placed == 16);
    CHECK(run.jobs.at("a").finish == 100s);
}

TEST_CASE("run time: rounded to the nearest nanosecond, work down", "[sim][run-time]") {
    CHECK(sim::run_time_of(3ns, 1500) == 5ns);  // 4.5
    CHECK(sim::run_time_of(1ns, 1499) == 1ns);
    CHECK(sim::work_done_in(5ns, 1500) == 3ns);  // 3.33
    CHECK(sim::run_time_of(sim::never - 1ns, 1000) == sim::never - 1ns);
    CHECK(sim::run_time_of(sim::never / 2, 3000) == sim::never);
    // A job that is done did its work and no more.
    for (std::int64_t work = 0; work < 300; ++work) {
        for (std::int64_t factor = 1000; factor < 3000; factor += 7) {
            const sim::SimTime time = sim::run_time_of(sim::SimTime(work), factor);
            CHECK(sim::work_done_in(time, factor) <= sim::SimTime(work));
        }
    }
}

TEST_CASE("run time: a NIC that two pods have", "[sim][run-time]") {
    core::MachineAnswer both;
    both.nics = 0b11;
    core::MachineAnswer second;
    second.nics = 0b10;
    const std::vector<sim::Grant> a{{&both, nullptr, {}}};
    const std::vector<sim::Grant> b{{&second, nullptr, {}}};
    const core::ServerId here{0};
    sim::NicUsers users;
    CHECK_FALSE(users.add(here, a));
    CHECK_FALSE(users.add(core::ServerId{1}, b));
    CHECK(users.add(here, b));
    users.remove(here, a);
    users.remove(here, b);
    CHECK_FALSE(users.add(here, a));

    const std::vector<sim::SlowDown> classes{{"training", {1300}, 1200}};
    CHECK(sim::run_time_factor(classes, "", core::Level{0}, false) == 1300);
    CHECK(sim::run_time_factor(classes, "", core::Level{0}, true) == 1560);
}

TEST_CASE("run time: the tables by name, from the server upwards", "[sim][run-time]") {
    CHECK(sim::run_time_table_names() == std::vector<std::string>{"linear", "measured", "none"});
    const auto linear = sim::run_time_table("linear", 4);
    REQUIRE(linear.size() == 1);
    CHECK(linear[0].by_level == std::vector<std::int64_t>{1300, 1200, 1100, 1000});
    const auto measured = sim::run_time_table("measured", 3);
    REQUIRE(measured.size() == 4);
    CHECK(measured[0].job_class == "resnet-50");
    CHECK(measured[0].by_level == std::vector<std::int64_t>{1294, 1294, 1000});
}
