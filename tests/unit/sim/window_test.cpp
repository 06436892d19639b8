#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "quota_runs.hpp"
#include "sim/clock/window.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

sim::Settings until(sim::SimTime end) {
    sim::Settings settings;
    settings.until = end;
    return settings;
}

sim::Settings window(sim::SimTime from, sim::SimTime to) {
    sim::Settings settings;
    settings.window = {from, to};
    return settings;
}

/// Keeps the times at which samples were taken.
class Samples final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& /*record*/) override {}
    void sample(sim::SimTime at, std::span<const double> /*values*/) override {
        times.push_back(at);
    }
    std::vector<sim::SimTime> times;
};

}  // namespace

TEST_CASE("window: jobs count by when they come, and time by its part", "[sim][window]") {
    const sim::Window window{10s, 20s};
    CHECK_FALSE(window.counts(9s));
    CHECK(window.counts(10s));
    CHECK_FALSE(window.counts(20s));
    CHECK(window.part_of(0s, 5s) == 0s);
    CHECK(window.part_of(5s, 12s) == 2s);
    CHECK(window.part_of(12s, 15s) == 3s);
    CHECK(window.part_of(0s, 100s) == 10s);
    CHECK(window.part_of(30s, 40s) == 0s);
    CHECK(sim::Window{}.part_of(3s, 9s) == 6s);
    CHECK(sim::Window{}.counts(0s));
}

TEST_CASE("until: a run lasts until then when its work ends before", "[sim][window]") {
    const QuotaRun run(servers_of({4}), {pod("a", "", 0s, 100s, 4)}, until(1000s));
    CHECK(run.metric("units_utilization") == Approx(0.1));
    CHECK(run.metric("makespan_s") == 100);
    CHECK(run.metric("end_s") == 1000);
    CHECK(run.metric("measured_s") == 1000);
    CHECK(run.result.end == 1000s);
    const QuotaRun open(servers_of({4}), {pod("a", "", 0s, 100s, 4)}, {});
    CHECK(open.metric("units_utilization") == 1);
    CHECK(open.metric("end_s") == 100);
    CHECK(open.result.fingerprint == run.result.fingerprint);
}

TEST_CASE("until: what is free on exhausted servers is averaged until then", "[sim][window]") {
    sim::Job job = pod("a", "", 0s, 100s, 4);
    job.demand.push_back(1);
    const QuotaRun run(cluster({{4, 4}}), {job}, until(1000s));
    CHECK(run.metric("blocks_stranded") == Approx(0.75 * 0.1));
}

TEST_CASE("until: quotas are measured until then", "[sim][window][quota]") {
    sim::Settings settings = with_quotas({quota("a", 2, 4)});
    settings.until = 1000s;
    const QuotaRun run(servers_of({4}), {pod("p", "a", 0s, 100s, 4)}, settings);
    CHECK(run.metric("quota/a/dominant_share") == Approx(0.1));
    CHECK(run.metric("quota/a/units_borrowed_h") == Approx(2 * 100 / 3600.0));
}

TEST_CASE("until: over-use ends with the work", "[sim][window][quota]") {
    // B asks at 10 s for what A uses beyond its min; both end before the run does.
    sim::Settings settings = with_quotas({quota("a", 2, 4), quota("b", 2, 4)});
    settings.until = 1000s;
    const QuotaRun run(
        servers_of({4}), {pod("a", "a", 0s, 100s, 4), pod("b", "b", 10s, 20s, 2)}, settings);
    CHECK(run.metric("quota/a/over_use_s") == Approx(90));
}

TEST_CASE("until: samples go on to it", "[sim][window]") {
    sim::Settings settings = until(50s);
    settings.sample_every = 20s;
    settings.profile.score = tests::by_scorer("first-fit");
    core::Ledger ledger(servers_of({4}));
    ListSource source({pod("a", "", 0s, 5s, 1)});
    sim::RunControl control;
    control.check_invariants = true;
    Samples samples;
    (void)sim::Simulation(ledger, source, settings, samples, control).run();
    CHECK(samples.times == std::vector<sim::SimTime>{0s, 20s, 40s});
}

TEST_CASE("window: metrics are of jobs submitted in it, and of its time", "[sim][window]") {
    // Four units: a uses all until 100 s, b half until 150 s, c a quarter until 160 s.
    const std::vector<sim::Job> jobs{
        pod("a", "", 0s, 100s, 4), pod("b", "", 40s, 50s, 2), pod("c", "", 60s, 60s, 1)};
    const QuotaRun whole(servers_of({4}), jobs, {});
    const QuotaRun run(servers_of({4}), jobs, window(40s, 60s));
    CHECK(run.metric("pods_submitted") == 1);
    CHECK(run.metric("wait_s_mean") == 60);
    CHECK(run.metric("makespan_s") == 150);
    CHECK(run.metric("units_utilization") == 1);
    CHECK(run.metric("measured_s") == 20);
    CHECK(run.metric("end_s") == 160);
    CHECK(run.result.fingerprint == whole.result.fingerprint);
    CHECK(run.jobs.size() == 3);  // the files have all of them
    const QuotaRun late(servers_of({4}), jobs, window(90s, sim::never));
    CHECK(late.metric("units_utilization") == Approx((10 * 1 + 50 * 0.75 + 10 * 0.25) / 70));
    CHECK(late.metric("pods_submitted") == 0);
    CHECK_FALSE(late.has_metric("wait_s_mean"));
    CHECK(late.metric("measured_s") == 70);
}

TEST_CASE("window: a run that ends before it has nothing to average", "[sim][window]") {
    const QuotaRun run(servers_of({4}), {pod("a", "", 0s, 10s, 4)}, window(20s, 30s));
    CHECK_FALSE(run.has_metric("units_utilization"));
    CHECK(run.metric("measured_s") == 0);
}

TEST_CASE("window: servers that fail count for the time in it", "[sim][window]") {
    sim::Settings settings = window(50s, 100s);
    settings.node_changes = {{75s, core::ServerId{1}, false}};
    const QuotaRun run(servers_of({2, 2}), {pod("a", "", 0s, 100s, 2)}, settings);
    CHECK(run.metric("units_utilization") == Approx(2 * 50 / (4.0 * 25 + 2 * 25)));
}

TEST_CASE("window: quotas count the jobs and the time in it", "[sim][window][quota]") {
    sim::Settings settings = with_quotas({quota("a", 1, 4)});
    settings.window = {50s, 100s};
    const QuotaRun run(
        servers_of({4}), {pod("early", "a", 0s, 75s, 2), pod("late", "a", 60s, 100s, 3)}, settings);
    CHECK(run.metric("quota/a/pods_submitted") == 1);
    CHECK(run.metric("quota/a/wait_s_mean") == 15);
    CHECK(run.metric("quota/a/dominant_share") == Approx((25 * 0.5 + 25 * 0.75) / 50));
    CHECK(run.metric("quota/a/units_borrowed_h") == Approx((25 * 1 + 25 * 2) / 3600.0));
}
