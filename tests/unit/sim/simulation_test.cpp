#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <string>

#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
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

sim::Job pod(std::string name,
             sim::SimTime submit,
             std::optional<sim::SimTime> duration,
             core::Amount demand) {
    sim::Job job;
    job.name = std::move(name);
    job.submit = submit;
    job.duration = duration;
    job.demand = {demand};
    return job;
}

sim::Job group(std::string name,
               sim::SimTime submit,
               std::optional<sim::SimTime> duration,
               core::Members size) {
    sim::Job job = pod(std::move(name), submit, duration, 1);
    job.group = true;
    job.size = job.min_available = size;
    job.constraints = core::LevelConstraints(3);
    return job;
}

class Records final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& record) override {
        tests::at_arrival(jobs, record.arrival) = record;
    }
    void sample(sim::SimTime at, std::span<const double> values) override {
        samples.emplace_back(at, std::vector<double>(values.begin(), values.end()));
    }
    const sim::JobRecord& of(const std::string& name) const {
        return *std::ranges::find(
            jobs, name, [](const sim::JobRecord& record) { return record.job.name; });
    }
    std::vector<sim::JobRecord> jobs;
    std::vector<std::pair<sim::SimTime, std::vector<double>>> samples;
};

struct Run {
    explicit Run(std::vector<sim::Job> jobs, sim::Settings settings = {}) {
        settings.profile.score = tests::by_scorer("first-fit");
        core::Ledger ledger(small_tree());
        tests::ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, records, control).run();
        for (const sim::Metric& metric : result.metrics) {
            metrics[metric.name] = metric.value.value_or(-1);
        }
        if (settings.until == sim::never) {
            // Every part of a job that ended has given back what it had.
            core::Amount held = 0;
            for (const sim::JobRecord& record : records.jobs) {
                for (const sim::Stint& stint : record.stints) {
                    held += stint.finish ? 0 : stint.members * record.job.demand[0];
                }
            }
            CHECK(ledger.allocated(ledger.topology().root(), 0) == held);
        }
    }
    Records records;
    sim::RunResult result;
    std::map<std::string, double> metrics;
};

}  // namespace

TEST_CASE("simulation: a pod that finds no place waits for one", "[sim]") {
    // Four pods fill the four servers; the fifth waits for the first to leave at 10 s.
    std::vector<sim::Job> jobs;
    for (int i = 0; i < 4; ++i) {
        jobs.push_back(pod("full-" + std::to_string(i), 0s, 10s + i * 1s, 4));
    }
    jobs.push_back(pod("late", 1s, 5s, 4));
    const Run run(jobs);
    const sim::JobRecord& late = run.records.of("late");
    CHECK(late.outcome == sim::Outcome::finished);
    CHECK(late.start == 10s);
    CHECK(late.finish == 15s);
    CHECK(run.metrics.at("wait_s_max") == 9);
    CHECK(run.metrics.at("pods_finished") == 5);
    CHECK(run.metrics.at("makespan_s") == 15);
    CHECK(run.result.end == 15s);
}

TEST_CASE("simulation: with retry never it is dropped, with its reason", "[sim]") {
    sim::Settings settings;
    settings.retry = false;
    const Run run({pod("big", 0s, 1s, 5), pod("small", 0s, 1s, 1)}, settings);
    CHECK(run.records.of("big").outcome == sim::Outcome::dropped);
    CHECK(run.records.of("big").reason == "0/4 nodes are available: 4 Insufficient units.");
    CHECK(run.records.of("small").outcome == sim::Outcome::finished);
}

TEST_CASE("simulation: a cycle comes at every tick of the period", "[sim]") {
    sim::Settings settings;
    settings.period = 10s;
    const Run run({pod("a", 0s, 1s, 1), pod("b", 3s, 1s, 1), pod("c", 10s, 1s, 1)}, settings);
    CHECK(run.records.of("a").start == 0s);
    CHECK(run.records.of("b").start == 10s);
    CHECK(run.records.of("c").start == 10s);
}

TEST_CASE("simulation: a group starts whole or not at all", "[sim]") {
    const Run run(
        {group("wide", 0s, 10s, 16), group("next", 1s, 10s, 2), group("never", 2s, 10s, 17)});
    CHECK(run.records.of("wide").start == 0s);
    CHECK(run.records.of("next").start == 10s);
    const sim::JobRecord& record = run.records.of("never");
    CHECK(record.outcome == sim::Outcome::waiting);
    CHECK(record.placed == 16);
    CHECK(record.reason == "4/4 nodes are available for a member, 16 of 17 members can be placed.");
    CHECK(run.metrics.at("group_success_rate") == Approx(2.0 / 3));
}

TEST_CASE("simulation: a group with minAvailable starts with what it gets", "[sim]") {
    sim::Job partial = group("partial", 0s, 10s, 20);
    partial.min_available = 10;
    const Run run({partial});
    CHECK(run.records.of("partial").start == 0s);
    CHECK(run.records.of("partial").placed == 16);
    CHECK(run.metrics.at("group_success_rate") == 0);
}

TEST_CASE("simulation: priority goes first, then arrival", "[sim]") {
    sim::Settings settings;
    settings.profile.queue = sim::queue_policy("priority");
    std::vector<sim::Job> jobs{group("all", 0s, 10s, 16), pod("low", 1s, 10s, 4)};
    for (int i = 0; i < 4; ++i) {
        jobs.push_back(pod("high-" + std::to_string(i), 2s, 10s, 4));
        jobs.back().priority = 7;
    }
    const Run run(jobs, settings);
    CHECK(run.records.of("high-3").start == 10s);
    CHECK(run.records.of("low").start == 20s);
}

TEST_CASE("simulation: departures come before arrivals of the same instant", "[sim]") {
    const Run run({group("all", 0s, 10s, 16), pod("then", 10s, 1s, 4)});
    CHECK(run.records.of("then").start == 10s);
}

TEST_CASE("simulation: until ends it, and says who runs and who waits", "[sim]") {
    sim::Settings settings;
    settings.until = 5s;
    const Run run({group("all", 0s, 10s, 16), pod("waits", 1s, 1s, 1), pod("after", 6s, 1s, 1)},
                  settings);
    CHECK(run.records.of("all").outcome == sim::Outcome::running);
    CHECK(run.records.of("waits").outcome == sim::Outcome::waiting);
    CHECK(run.records.jobs.size() == 2);
    CHECK(run.result.end == 5s);
    CHECK(run.metrics.at("units_utilization") == 1);
}

TEST_CASE("simulation: what runs beyond until counts until then", "[sim]") {
    sim::Settings settings;
    settings.until = 100s;
    const Run run({group("a", 0s, 1000s, 8)}, settings);
    CHECK(run.metrics.at("units_utilization") == 0.5);
}

TEST_CASE("simulation: a tick beyond the end of time never comes", "[sim]") {
    using Days = std::chrono::duration<std::int64_t, std::ratio<86400>>;
    sim::Settings settings;
    settings.period = Days(100'000);
    const Run run({group("all", 0s, sim::SimTime(Days(106'751)), 16), pod("late", 0s, 1s, 1)},
                  settings);
    CHECK(run.records.of("late").outcome == sim::Outcome::waiting);
}

TEST_CASE("simulation: utilization is weighted by time", "[sim]") {
    // Half of the cluster is in use for 10 s, then a quarter for 10 s.
    const Run run({group("a", 0s, 10s, 4), group("b", 0s, 20s, 4)});
    CHECK(run.metrics.at("units_utilization") == Approx((0.5 * 10 + 0.25 * 10) / 20));
}

TEST_CASE("simulation: a group grows and shrinks where its constraints hold best", "[sim]") {
    sim::Job job = group("elastic", 0s, 100s, 2);
    core::LevelConstraint pack;
    job.constraints->set(core::Level{1}, pack);
    job.resizes = {{10s, 6}, {20s, 1}, {30s, 17}};
    const Run run({job});
    const sim::JobRecord& record = run.records.of("elastic");
    CHECK(record.resizes_refused == 1);  // 17 do not fit
    std::map<std::pair<sim::SimTime, sim::SimTime>, core::Members> stints;
    std::set<std::uint32_t> racks;
    for (const sim::Stint& stint : record.stints) {
        stints[{stint.start, *stint.finish}] += stint.members;
        racks.insert(stint.server.index / 2);
    }
    CHECK(racks.size() == 1);
    CHECK(stints.at({10s, 20s}) == 4);
    CHECK(stints.at({0s, 20s}) + stints.at({0s, 100s}) == 2);
    CHECK(stints.at({0s, 100s}) == 1);
}

TEST_CASE("simulation: the records come in the order of arrival", "[sim]") {
    const Run run({pod("long", 0s, 50s, 1),
                   pod("short", 1s, 1s, 1),
                   pod("endless", 2s, std::nullopt, 1),
                   pod("last", 3s, 1s, 1)});
    std::vector<std::string> names;
    for (const sim::JobRecord& record : run.records.jobs) {
        names.push_back(record.job.name);
    }
    CHECK(names == std::vector<std::string>{"long", "short", "endless", "last"});
    CHECK(run.records.of("endless").outcome == sim::Outcome::running);
}

TEST_CASE("simulation: samples show the settled state, and end with the work", "[sim]") {
    sim::Settings settings;
    settings.sample_every = 5s;
    const Run run({group("a", 0s, 10s, 8)}, settings);
    std::vector<std::pair<sim::SimTime, double>> running;
    for (const auto& [at, values] : run.records.samples) {
        running.emplace_back(at, values[0]);
    }
    CHECK(running == std::vector<std::pair<sim::SimTime, double>>{{0s, 8}, {5s, 8}, {10s, 0}});
}

TEST_CASE("simulation: work follows what changes, not how many wait", "[sim][work]") {
    // A thousand equal pods wait for one server each; each departure causes one of them to be
    // tried.
    std::vector<sim::Job> jobs;
    for (int i = 0; i < 1000; ++i) {
        jobs.push_back(pod("p" + std::to_string(i), 0s, 1s * (i + 1), 4));
    }
    const Run run(jobs);
    CHECK(run.metrics.at("pods_finished") == 1000);
    CHECK(run.result.decisions < 3 * 1000);
}

TEST_CASE("simulation: one seed, one fingerprint", "[sim]") {
    const std::vector<sim::Job> jobs{group("a", 0s, 10s, 4), pod("b", 0s, 20s, 4)};
    CHECK(Run(jobs).result.fingerprint == Run(jobs).result.fingerprint);
    CHECK(Run(jobs).result.fingerprint != Run({jobs[0]}).result.fingerprint);
}
