// Drains: schedules computed by hand. Every run compares its whole state with a fresh computation.

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index/scorer.hpp"
#include "core/tree/device_names.hpp"
#include "sim/measure/gpu_time.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

using Starts = std::map<std::string, double>;
using Names = std::vector<std::string>;

/// The drain of a server, which is given by its number among those of servers_of_units().
sim::DrainWindow drain(std::uint32_t server, sim::SimTime at, sim::SimTime until) {
    return {at, until, core::NodeId{server + 1}, sim::SimTime(0), true};
}

sim::DrainWindow without_eviction(sim::DrainWindow window) {
    window.evicts = false;
    return window;
}

/// A job whose user states less time than it takes, so that it is still there when a drain begins.
sim::Job longer_than_said(sim::Job job, sim::SimTime said) {
    job.estimate = said;
    return job;
}

sim::Job gang_of(core::Members size, sim::Job member) {
    member.group = true;
    member.size = size;
    member.min_available = size;
    return member;
}

class DrainRun final : public sim::RecordSink {
public:
    DrainRun(std::shared_ptr<const core::Topology> tree,
             std::vector<sim::Job> jobs,
             std::vector<sim::DrainWindow> windows,
             const std::string& policy = "fifo",
             sim::Settings settings = {}) {
        settings.profile.queue = sim::queue_policy(policy);
        settings.drains = std::move(windows);
        const auto first_fit = std::ranges::find(
            core::scorers(), std::string_view("first-fit"), &core::ScorerEntry::name);
        settings.profile.score = {{first_fit->make(), 1}};
        std::ranges::stable_sort(jobs, {}, &sim::Job::submit);
        core::Ledger ledger(std::move(tree));
        ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        result = sim::Simulation(ledger, source, settings, *this, control).run();
    }

    void job(const sim::JobRecord& record) override {
        starts[record.job.name] = record.start ? sim::seconds(*record.start) : -1;
        records.emplace(record.job.name, record);
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        evictions.push_back(fmt::format("{} {} at {}",
                                        record.job.name,
                                        sim::to_name(eviction.cause),
                                        sim::format_seconds(eviction.at)));
    }
    void drain(const sim::DrainRecord& record) override { drains.push_back(record); }

    [[nodiscard]] std::optional<double> metric(const std::string& name) const {
        const auto found = std::ranges::find(result.metrics, name, &sim::Metric::name);
        REQUIRE(found != result.metrics.end());
        return found->value;
    }

    Starts starts;
    std::map<std::string, sim::JobRecord> records;
    Names evictions;
    std::vector<sim::DrainRecord> drains;
    sim::RunResult result;
};

}  // namespace

TEST_CASE("drains: who would not have ended by then starts when it is over", "[sim][drains]") {
    // A ends as the drain begins. B would run a moment into it, and a job without an end meets
    // both.
    const std::vector<sim::DrainWindow> windows{drain(0, 10s, 20s), drain(0, 40s, 50s)};
    const auto one = servers_of_units({1});
    CHECK(DrainRun(one, {job_of("A", 1, 0s, 10s)}, windows).starts == Starts{{"A", 0}});
    CHECK(DrainRun(one, {job_of("B", 1, 0s, 10s + 1ns)}, windows).starts == Starts{{"B", 20}});
    CHECK(DrainRun(one, {job_of("B", 1, 0s, 21s)}, windows).starts == Starts{{"B", 50}});
    CHECK(DrainRun(one, {job_of("C", 1, 0s, std::nullopt)}, windows).starts == Starts{{"C", 50}});
    // No job starts as the drain begins, not even one that takes no time.
    CHECK(DrainRun(one, {job_of("D", 1, 10s, 0s)}, windows).starts == Starts{{"D", 20}});
    CHECK(DrainRun(one, {job_of("D", 1, 20s, 0s)}, windows).starts == Starts{{"D", 20}});
}

TEST_CASE("drains: of jobs that ask for the same, the shorter one starts", "[sim][drains]") {
    const DrainRun run(servers_of_units({1}),
                       {job_of("long", 1, 0s, 20s), job_of("short", 1, 0s, 5s)},
                       {drain(0, 10s, 30s)});
    CHECK(run.starts == Starts{{"long", 30}, {"short", 0}});
}

TEST_CASE("drains: who is still there is evicted, and moves at once", "[sim][drains]") {
    // A said 5 s. At 10 s it leaves server 0, and takes server 1 before W, which came after it.
    const DrainRun run(servers_of_units({1, 1}),
                       {longer_than_said(job_of("A", 1, 0s, 30s), 5s),
                        job_of("B", 1, 0s, 10s),
                        job_of("W", 1, 1s, 50s)},
                       {drain(0, 10s, 20s)},
                       "fcfs");
    CHECK(run.evictions == Names{"A drained at 10"});
    CHECK(run.starts == Starts{{"A", 10}, {"B", 0}, {"W", 20}});
    REQUIRE(run.drains.size() == 1);
    CHECK(run.drains[0].jobs == 1);
    CHECK(run.drains[0].emptied == sim::SimTime(10s));
    CHECK(run.metric("pods_drained") == 1);
    CHECK(run.metric("pods_node_failed") == 0);
    CHECK(run.metric("work_lost_s") == 10);
}

TEST_CASE("drains: a grace lets who ends in it end", "[sim][drains]") {
    sim::DrainWindow window = drain(0, 10s, 30s);
    window.grace = 5s;
    const DrainRun run(servers_of_units({2}),
                       {longer_than_said(job_of("ends", 1, 0s, 12s), 1s),
                        longer_than_said(job_of("goes", 1, 0s, 16s), 1s)},
                       {window});
    CHECK(run.evictions == Names{"goes drained at 15"});
    CHECK(run.starts == Starts{{"ends", 0}, {"goes", 30}});
    CHECK(run.drains[0].jobs == 1);
    CHECK(run.drains[0].emptied == sim::SimTime(15s));
}

TEST_CASE("drains: a gang is evicted once, by the first window that has a member of it",
          "[sim][drains]") {
    const DrainRun run(servers_of_units({1, 1, 1, 1}),
                       {longer_than_said(gang_of(2, job_of("g", 1, 0s, 30s)), 5s)},
                       {drain(0, 10s, 20s), drain(1, 10s, 20s)});
    CHECK(run.evictions == Names{"g drained at 10"});
    CHECK(run.starts == Starts{{"g", 10}});
    CHECK(run.drains[0].jobs == 1);
    CHECK(run.drains[1].jobs == 0);
}

TEST_CASE("drains: who may not be evicted stays, and nobody joins it", "[sim][drains]") {
    const bool evicts = GENERATE(false, true);
    CAPTURE(evicts);
    sim::Job stays = longer_than_said(job_of("stays", 1, 0s, 15s), 1s);
    stays.preemptible = !evicts;
    const sim::DrainWindow window = drain(0, 10s, 30s);
    const DrainRun run(servers_of_units({2}),
                       {stays, job_of("next", 1, 11s, 1s)},
                       {evicts ? window : without_eviction(window)});
    CHECK(run.evictions.empty());
    CHECK(run.starts == Starts{{"stays", 0}, {"next", 30}});
    CHECK(run.drains[0].emptied == sim::SimTime(15s));
    CHECK(run.drains[0].jobs == 0);
}

TEST_CASE("drains: a server that never left takes pods again when it is over", "[sim][drains]") {
    // Nothing else happens at 20 s.
    const char* policy =
        GENERATE("fifo", "fcfs", "easy-backfill", "conservative-backfill", "replanned-backfill");
    CAPTURE(policy);
    const DrainRun run(
        servers_of_units({2}),
        {longer_than_said(job_of("stays", 1, 0s, 50s), 1s), job_of("next", 1, 11s, 1s)},
        {without_eviction(drain(0, 10s, 20s))},
        policy);
    CHECK(run.starts == Starts{{"stays", 0}, {"next", 20}});
    CHECK_FALSE(run.drains[0].emptied);
    CHECK(run.drains[0].window.until == sim::SimTime(20s));
}

TEST_CASE("drains: plans count on the server that comes back", "[sim][drains]") {
    // A has server 0 until 15 s; server 1 is drained from 10 s to 20 s, when B finds both servers.
    // C ends before the drain and E before B starts; D would delay B if it started at 15 s.
    const char* policy = GENERATE("easy-backfill", "conservative-backfill", "replanned-backfill");
    CAPTURE(policy);
    const std::vector<sim::Job> jobs{job_of("A", 4, 0s, 15s),
                                     gang_of(2, job_of("B", 4, 1s, 10s)),
                                     job_of("C", 4, 2s, 6s),
                                     job_of("D", 4, 3s, 9s),
                                     job_of("E", 4, 3s, 5s)};
    const std::vector<sim::DrainWindow> windows{drain(1, 10s, 20s)};
    CHECK(DrainRun(servers_of_units({4, 4}), jobs, windows, policy).starts ==
          Starts{{"A", 0}, {"B", 20}, {"C", 2}, {"D", 30}, {"E", 15}});
    // The server fails during the drain, and it is unknown until when: no place is kept for B.
    sim::Settings settings;
    settings.node_changes = {{12s, core::ServerId{1}, false}, {33s, core::ServerId{1}, true}};
    CHECK(DrainRun(servers_of_units({4, 4}), jobs, windows, policy, settings).starts ==
          Starts{{"A", 0}, {"B", 33}, {"C", 2}, {"D", 15}, {"E", 24}});
    // The server is repaired during the drain, so plans count on it again.
    settings.node_changes[1].at = 14s;
    CHECK(DrainRun(servers_of_units({4, 4}), jobs, windows, policy, settings).starts ==
          Starts{{"A", 0}, {"B", 20}, {"C", 2}, {"D", 30}, {"E", 15}});
}

TEST_CASE("drains: a promise looks at the drains of its own time", "[sim][drains]") {
    // W comes while A has the server, which is drained from 20 s to 30 s. If W started at 10 s, it
    // would run into the drain by 1 s.
    const char* policy = GENERATE("easy-backfill", "conservative-backfill", "replanned-backfill");
    CAPTURE(policy);
    const std::vector<sim::Job> jobs{
        job_of("A", 4, 0s, 10s), job_of("W", 4, 1s, 11s), job_of("fits", 4, 2s, 10s)};
    CHECK(DrainRun(servers_of_units({4}), jobs, {drain(0, 20s, 30s)}, policy).starts ==
          Starts{{"A", 0}, {"W", 30}, {"fits", 10}});
}

TEST_CASE("drains: a server is back when neither a drain nor a failure holds it", "[sim][drains]") {
    sim::Settings settings;
    settings.node_changes = {{5s, core::ServerId{0}, false}, {15s, core::ServerId{0}, true}};
    const std::vector<sim::Job> jobs{job_of("A", 1, 6s, 1s)};
    CHECK(DrainRun(servers_of_units({1}), jobs, {drain(0, 10s, 20s)}, "fifo", settings).starts ==
          Starts{{"A", 20}});
    settings.node_changes[1].at = 25s;
    CHECK(DrainRun(servers_of_units({1}), jobs, {drain(0, 10s, 20s)}, "fifo", settings).starts ==
          Starts{{"A", 25}});
}

TEST_CASE("drains: what is left of a job's work says whether it ends in time", "[sim][drains]") {
    // The job did 10 of its 30 s when its server failed, and needs 20 s more from 12 s on.
    sim::Settings settings;
    settings.lost_work = 0;
    settings.node_changes = {{10s, core::ServerId{0}, false}, {12s, core::ServerId{0}, true}};
    const std::vector<sim::Job> jobs{job_of("A", 1, 0s, 30s)};
    CHECK(DrainRun(servers_of_units({1}), jobs, {drain(0, 32s, 40s)}, "fifo", settings).starts ==
          Starts{{"A", 12}});
    CHECK(DrainRun(servers_of_units({1}), jobs, {drain(0, 31s, 40s)}, "fifo", settings).starts ==
          Starts{{"A", 40}});
}

TEST_CASE("drains: drains follow each other without a gap", "[sim][drains]") {
    const DrainRun run(
        servers_of_units({1}), {job_of("A", 1, 0s, 15s)}, {drain(0, 10s, 20s), drain(0, 20s, 30s)});
    CHECK(run.starts == Starts{{"A", 30}});
    REQUIRE(run.drains.size() == 2);
    CHECK(run.drains[1].emptied == sim::SimTime(20s));
}

TEST_CASE("drains: a group grows only where it ends before a drain", "[sim][drains]") {
    // The group starts at 0 s, ends at 30 s and grows at 5 s.
    const bool in_time = GENERATE(false, true);
    CAPTURE(in_time);
    sim::Job group = gang_of(1, job_of("g", 1, 0s, 30s));
    group.resizes = {{5s, 2}};
    const sim::SimTime at = in_time ? 30s : 29s;
    const DrainRun run(servers_of_units({1, 1}), {group}, {drain(1, at, at + 10s)});
    CHECK(run.records.at("g").resizes_refused == (in_time ? 0 : 1));
    CHECK(run.records.at("g").placed == (in_time ? 2 : 1));
}

TEST_CASE("drains: a group that has to go grows no more", "[sim][drains]") {
    // The group said 5 s. At 10 s it is told to go by 15 s, and at 12 s it asks for another member.
    sim::Job group = gang_of(2, longer_than_said(job_of("g", 1, 0s, 30s), 5s));
    group.min_available = 1;
    const bool grows = GENERATE(false, true);
    CAPTURE(grows);
    group.resizes = {{12s, grows ? 3 : 1}};
    sim::DrainWindow window = drain(0, 10s, 30s);
    window.grace = 5s;
    const DrainRun run(servers_of_units({1, 1, 1}), {group}, {window});
    CHECK(run.evictions == Names{"g drained at 15"});
    CHECK(run.records.at("g").resizes_refused == (grows ? 1 : 0));
}

TEST_CASE("drains: why a job waits says that servers would be drained", "[sim][drains]") {
    sim::Settings settings;
    settings.until = 5s;
    const std::vector<sim::Job> jobs{job_of("A", 1, 0s, 10s), job_of("W", 1, 1s, 100s)};
    const DrainRun before(
        servers_of_units({1, 1}), jobs, {drain(1, 10s, 20s), drain(0, 30s, 40s)}, "fifo", settings);
    CHECK(before.records.at("W").reason ==
          "0/2 nodes are available: 1 Insufficient units, 1 node(s) would be drained before it "
          "ends.");
    sim::Job stays = longer_than_said(job_of("A", 1, 0s, 10s), 1s);
    const DrainRun during(servers_of_units({2}),
                          {stays, job_of("W", 1, 1s, 100s)},
                          {without_eviction(drain(0, 3s, 20s))},
                          "fifo",
                          settings);
    CHECK(during.records.at("W").reason ==
          "0/1 nodes are available: 1 node(s) were being drained.");
}

TEST_CASE("drains: GPU time of drained servers, and idle because of a drain, is drained",
          "[sim][drains]") {
    // Two servers of one GPU each. Until 10 s, server 0 is idle because L would run into its drain,
    // and server 1 has A; then server 0 is away until 20 s, when L starts.
    sim::Settings settings;
    settings.until = 40s;
    const std::string gpu(core::device_resource::nvidia_gpu);
    const auto share = [](const DrainRun& run, sim::GpuTimeUse use) {
        const auto found = std::ranges::find(run.result.gpu_time, use, &sim::GpuTime::use);
        REQUIRE(found != run.result.gpu_time.end());
        return found->gpu_seconds;
    };
    const DrainRun run(
        servers_of_units({core::gpu_whole_milli, core::gpu_whole_milli}, gpu),
        {job_of("A", core::gpu_whole_milli, 0s, 40s), job_of("L", core::gpu_whole_milli, 0s, 20s)},
        {drain(0, 10s, 20s), drain(1, 40s, 50s)},
        "fifo",
        settings);
    // A goes to server 1, which is drained as it ends.
    CHECK(run.starts == Starts{{"A", 0}, {"L", 20}});
    CHECK(run.records.at("A").stints.front().server == core::ServerId{1});
    CHECK(share(run, sim::GpuTimeUse::drained) == Approx(20));
    CHECK(share(run, sim::GpuTimeUse::failed) == 0);
    CHECK(share(run, sim::GpuTimeUse::allocated) == Approx(60));
    CHECK(run.metric("gpu_time_drained") == Approx(20.0 / 80));
    // Without a job, only the time away counts as drained.
    const DrainRun idle(
        servers_of_units({core::gpu_whole_milli}, gpu), {}, {drain(0, 10s, 20s)}, "fifo", settings);
    CHECK(share(idle, sim::GpuTimeUse::drained) == Approx(10));
    CHECK(share(idle, sim::GpuTimeUse::no_demand) == Approx(30));
}

TEST_CASE("drains: a job that waits meets a drain from some time on", "[sim][drains]") {
    // Until 5 s, a member of the gang that starts on server 0 would end before the drain at 25 s.
    // At 10 s, the next time at which something happens, it no longer would. Server 1 is taken
    // until 50 s.
    const std::string gpu(core::device_resource::nvidia_gpu);
    const core::Amount one = core::gpu_whole_milli;
    sim::Settings settings;
    settings.until = 50s;
    const DrainRun run(servers_of_units({one, one}, gpu),
                       {job_of("taken", one, 0s, 50s),
                        gang_of(2, job_of("gang", one, 0s, 20s)),
                        job_of("event", 0, 10s, 1s)},
                       {drain(0, 25s, 35s), drain(1, 60s, 61s)},
                       "fifo",
                       settings);
    const auto seconds_of = [&](sim::GpuTimeUse use) {
        return std::ranges::find(run.result.gpu_time, use, &sim::GpuTime::use)->gpu_seconds;
    };
    CHECK(run.records.at("taken").stints.front().server == core::ServerId{1});
    CHECK(seconds_of(sim::GpuTimeUse::gang_waiting) == Approx(10 + 15));
    CHECK(seconds_of(sim::GpuTimeUse::drained) == Approx(15 + 10));
    CHECK(seconds_of(sim::GpuTimeUse::allocated) == Approx(50));
}

TEST_CASE("drains: idle GPUs of a server that somebody has not left are drained", "[sim][drains]") {
    const std::string gpu(core::device_resource::nvidia_gpu);
    const core::Amount one = core::gpu_whole_milli;
    sim::Settings settings;
    settings.until = 30s;
    const DrainRun run(
        servers_of_units({2 * one}, gpu),
        {longer_than_said(job_of("stays", one, 0s, 30s), 1s), job_of("W", one, 0s, 100s)},
        {without_eviction(drain(0, 10s, 20s))},
        "fifo",
        settings);
    const auto drained =
        std::ranges::find(run.result.gpu_time, sim::GpuTimeUse::drained, &sim::GpuTime::use);
    CHECK(run.starts == Starts{{"stays", 0}, {"W", 20}});
    CHECK(drained->gpu_seconds == Approx(20));  // until then W would have run into it
}
