/// Schedulers of the tests' own drive whole runs, and each verb does what it promises.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/last_in_first_out.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/queue_run.hpp"
#include "tests/support/random_server.hpp"
#include "tests/support/scripted.hpp"

using namespace berth;
using namespace std::chrono_literals;
using Told = std::vector<std::string>;

namespace {

/// Keeps what a run records.
class Kept final : public sim::RecordSink {
public:
    Kept(const std::vector<core::Amount>& servers,
         std::vector<sim::Job> jobs,
         const sim::MakeScheduler& make,
         const sim::Settings& settings = {}) {
        core::Ledger ledger(tests::servers_of_units(servers));
        tests::ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, *this, control, make).run();
        const core::NodeId root = ledger.topology().root();
        left = ledger.allocated(root, 0);
    }
    void job(const sim::JobRecord& record) override {
        tests::at_arrival(records, record.arrival) = record;
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        evictions.push_back(record.job.name + " " + sim::to_name(eviction.cause));
    }

    std::vector<sim::JobRecord> records;
    Told evictions;
    sim::RunResult result;
    core::Amount left = 0;
};

/// Five jobs of 2 units and 10 s each, one second apart.
std::vector<sim::Job> five_jobs() {
    std::vector<sim::Job> jobs;
    for (int i = 0; i < 5; ++i) {
        jobs.push_back(tests::job_of(std::string(1, static_cast<char>('a' + i)),
                                     2,
                                     std::chrono::seconds(i),
                                     sim::SimTime(10s)));
    }
    return jobs;
}

sim::Job group_of(const std::string& name, core::Members size, core::Members least) {
    sim::Job job = tests::job_of(name, 1, sim::SimTime(0), sim::SimTime(10s));
    job.group = true;
    job.size = size;
    job.min_available = least;
    return job;
}

struct ScriptedRun {
    ScriptedRun(const std::vector<core::Amount>& servers,
                std::vector<sim::Job> jobs,
                const tests::Scripted::Script& script,
                const sim::Settings& settings = {})
        : run(
              servers,
              std::move(jobs),
              [&](sim::Actions& actions) {
                  return std::make_unique<tests::Scripted>(actions, script, told);
              },
              settings) {}

    Told told;
    Kept run;
};

constexpr sim::JobId first{0};
constexpr sim::JobId second{1};

/// Places `here` members on the first server and `there` on the second.
sim::Placement on(const sim::Actions& actions, core::Members here, core::Members there = 0) {
    const core::Topology& tree = actions.cluster().topology();
    sim::Placement placement;
    if (here > 0) {
        placement.servers.push_back({tree.node_of(core::ServerId{0}), here});
    }
    if (there > 0) {
        placement.servers.push_back({tree.node_of(core::ServerId{1}), there});
    }
    return placement;
}

tests::Scripted::Step start(sim::JobId id, core::Members here, core::Members there = 0) {
    return [=](sim::Actions& actions) { actions.start(id, on(actions, here, there)); };
}

}  // namespace

TEST_CASE("scheduler seam: last in, first out", "[sim]") {
    const Kept run({2}, five_jobs(), [](sim::Actions& actions) {
        return std::make_unique<tests::LastInFirstOut>(actions);
    });
    std::map<std::string, double> starts;
    for (const sim::JobRecord& record : run.records) {
        starts[record.job.name] = sim::seconds(*record.start);
    }
    CHECK(starts ==
          std::map<std::string, double>{{"a", 0}, {"b", 40}, {"c", 30}, {"d", 20}, {"e", 10}});
    CHECK(run.left == 0);
    CHECK(run.result.end == sim::SimTime(50s));
}

TEST_CASE("scheduler seam: last in, first out, with groups, failures and resizes", "[sim]") {
    std::vector<sim::Job> jobs{group_of("group", 3, 3)};
    jobs[0].resizes = {{sim::SimTime(2s), 4}};
    sim::Settings settings;
    settings.node_changes = {{sim::SimTime(4s), core::ServerId{1}, false},
                             {sim::SimTime(6s), core::ServerId{1}, true}};
    const Kept run(
        {2, 2},
        jobs,
        [](sim::Actions& actions) { return std::make_unique<tests::LastInFirstOut>(actions); },
        settings);
    REQUIRE(run.records.size() == 1);
    CHECK(run.evictions == Told{"group node_failed"});
    CHECK(run.records[0].resizes_refused == 1);
    CHECK(run.records[0].start == sim::SimTime(6s));
    CHECK(run.records[0].finish == sim::SimTime(16s));
    CHECK(run.left == 0);
}

TEST_CASE("scheduler seam: a server that is drawn", "[sim]") {
    std::vector<sim::Job> jobs = five_jobs();
    jobs.insert(jobs.begin(), group_of("group", 2, 2));
    const auto make = [](sim::Actions& actions) {
        return std::make_unique<tests::RandomServer>(actions, 7);
    };
    sim::Settings settings;
    settings.until = sim::SimTime(15s);
    const Kept run({2, 2}, jobs, make, settings);
    CHECK(run.records[0].outcome == sim::Outcome::rejected);
    CHECK(run.records[0].reason == "it is a group");
    std::size_t waiting = 0;
    for (const sim::JobRecord& record : run.records) {
        if (record.outcome == sim::Outcome::waiting) {
            CHECK(record.reason == "its server is full");
            ++waiting;
        }
    }
    CHECK(waiting > 0);
    CHECK(Kept({2, 2}, jobs, make, settings).result.fingerprint == run.result.fingerprint);
}

TEST_CASE("scheduler seam: members start one by one, and work when there are enough", "[sim]") {
    const ScriptedRun run({4, 4},
                          {group_of("g", 4, 3)},
                          {{0s, start(first, 1)},
                           {5s, start(first, 1)},
                           {8s, start(first, 0, 1)},
                           {9s, start(first, 0, 1)}});
    CHECK(run.told == Told{"submitted g",
                           "started g",
                           "started more of g",
                           "started more of g",
                           "started more of g",
                           "ended g at 18 s"});
    const sim::JobRecord& record = run.run.records[0];
    CHECK(record.placed == 4);
    CHECK(record.start == sim::SimTime(0));
    CHECK(record.numbered == 4);
    CHECK(run.run.left == 0);
}

TEST_CASE("scheduler seam: an eviction after a grace", "[sim]") {
    const auto evict = [](sim::Actions& actions) {
        actions.evict(first, sim::EvictionCause::preempted, 3s);
    };
    SECTION("ends the job's stay when the grace is over") {
        const ScriptedRun run({2},
                              {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s))},
                              {{0s, start(first, 1)}, {4s, evict}, {20s, start(first, 1)}});
        CHECK(run.told == Told{"submitted a",
                               "started a",
                               "evicted a after 7 s, lost 7 s",
                               "started a",
                               "ended a at 30 s"});
        CHECK(run.run.evictions == Told{"a preempted"});
    }
    SECTION("never happens where the job's work is done before") {
        const ScriptedRun run({2},
                              {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s))},
                              {{0s, start(first, 1)}, {8s, evict}});
        CHECK(run.told == Told{"submitted a", "started a", "ended a at 10 s"});
        CHECK(run.run.evictions.empty());
    }
}

TEST_CASE("scheduler seam: a suspended job holds nothing, and keeps its work", "[sim]") {
    const auto suspend = [](sim::Actions& actions) { actions.suspend(first); };
    const auto resume = [](sim::Actions& actions) { actions.resume(first, on(actions, 1)); };
    const ScriptedRun run(
        {2},
        {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s)),
         tests::job_of("b", 2, sim::SimTime(0), sim::SimTime(5s))},
        {{0s, start(first, 1)}, {4s, suspend}, {4s, start(second, 1)}, {20s, resume}});
    CHECK(run.told == Told{"submitted a",
                           "submitted b",
                           "started a",
                           "suspended a",
                           "started b",
                           "ended b at 9 s",
                           "started more of a",
                           "ended a at 26 s"});
    const sim::JobRecord& record = run.run.records[0];
    CHECK(record.lost == sim::SimTime(0));
    CHECK_FALSE(sim::any(record.evictions));
    CHECK(record.waited() == sim::SimTime(16s));
    CHECK(run.run.left == 0);
}

TEST_CASE("scheduler seam: a job that is suspended when the run ends waits", "[sim]") {
    sim::Settings settings;
    settings.until = sim::SimTime(8s);
    const ScriptedRun run(
        {2},
        {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s))},
        {{0s, start(first, 1)}, {4s, [](sim::Actions& actions) { actions.suspend(first); }}},
        settings);
    CHECK(run.run.records[0].outcome == sim::Outcome::waiting);
    CHECK(run.run.records[0].ran_before == sim::SimTime(4s));
    CHECK(run.run.left == 0);
}

TEST_CASE("scheduler seam: a job moves, and loses what an eviction would", "[sim]") {
    sim::Settings settings;
    settings.lost_work = 0.5;
    const ScriptedRun run(
        {2, 2},
        {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s))},
        {{0s, start(first, 1)},
         {4s, [](sim::Actions& actions) { actions.move(first, on(actions, 0, 1)); }}},
        settings);
    CHECK(run.told == Told{"submitted a", "started a", "moved a", "ended a at 12 s"});
    const sim::JobRecord& record = run.run.records[0];
    CHECK(record.lost == sim::SimTime(2s));
    CHECK_FALSE(sim::any(record.evictions));
    REQUIRE(record.stints.size() == 1);
    CHECK(record.stints[0].server == core::ServerId{1});
    CHECK(record.pasts[0].ran == sim::SimTime(4s));
}

TEST_CASE("scheduler seam: a running group is resized, or refused", "[sim]") {
    sim::Job group = group_of("g", 2, 2);
    group.resizes = {{sim::SimTime(6s), 5}};
    const ScriptedRun run(
        {4, 4},
        {group},
        {{0s, start(first, 2)},
         {3s, [](sim::Actions& actions) { actions.resize(first, 4, on(actions, 2, 2).servers); }},
         {5s, [](sim::Actions& actions) { actions.resize(first, 1, on(actions, 0, 1).servers); }}});
    CHECK(run.told == Told{"submitted g", "started g", "g asks for 5", "ended g at 10 s"});
    const sim::JobRecord& record = run.run.records[0];
    CHECK(record.placed == 1);
    CHECK(record.resizes_refused == 1);
    CHECK(record.stints.size() == 3);
    CHECK(run.run.left == 0);
}

TEST_CASE("scheduler seam: jobs that are refused or given up, and what is said of them", "[sim]") {
    const ScriptedRun run(
        {2},
        {tests::job_of("a", 2, sim::SimTime(0), sim::SimTime(10s)),
         tests::job_of("b", 2, sim::SimTime(0), sim::SimTime(10s))},
        {{1s,
          [](sim::Actions& actions) {
              actions.set_condition(first, sim::Condition::Type::admitted, "by its queue");
          }},
         {2s,
          [](sim::Actions& actions) {
              actions.set_condition(first, sim::Condition::Type::blocked, "no quota");
              actions.set_condition(first, sim::Condition::Type::blocked, "no room");
              actions.reject(first, "too late");
          }},
         {3s, [](sim::Actions& actions) { actions.drop(second); }}});
    CHECK(run.run.records[0].outcome == sim::Outcome::rejected);
    CHECK(run.run.records[0].reason == "too late");
    const core::CompactVector<sim::Condition>& said = run.run.records[0].conditions;
    REQUIRE(said.size() == 2);
    CHECK(said[0].at == sim::SimTime(1s));
    CHECK(said[0].type == sim::Condition::Type::admitted);
    CHECK(said[1].message == "no room");
    CHECK(run.run.records[1].outcome == sim::Outcome::dropped);
}
