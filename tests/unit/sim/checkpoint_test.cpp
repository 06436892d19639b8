/// Little runs of jobs that write checkpoints, computed by hand.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/backfill/expected_run.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/queue_run.hpp"
#include "tests/support/scripted.hpp"

using namespace berth;
using namespace std::chrono_literals;
using sim::SimTime;

namespace {

constexpr core::Amount gpu = 1000;
constexpr sim::JobId first{0};

/// A job that works for 10 s, writes for 2 s, and so on; a restart takes 5 s.
sim::Job writer(SimTime work) {
    sim::Job job = tests::job_of("a", gpu, SimTime(0), work);
    job.checkpoint = sim::Checkpoint{10s, 2s, 5s};
    return job;
}

sim::Placement on(const sim::Actions& actions, std::uint32_t server, core::Members members = 1) {
    sim::Placement placement;
    placement.servers.push_back(
        {actions.cluster().topology().node_of(core::ServerId{server}), members});
    return placement;
}

tests::Scripted::Step start(std::uint32_t server = 0, core::Members members = 1) {
    return [=](sim::Actions& actions) { actions.start(first, on(actions, server, members)); };
}

tests::Scripted::Step evict(SimTime grace = 0s) {
    return
        [=](sim::Actions& actions) { actions.evict(first, sim::EvictionCause::preempted, grace); };
}

/// Two servers of four GPUs each, and one job that a script drives.
class Run final : public sim::RecordSink {
public:
    Run(sim::Job job, const tests::Scripted::Script& script, sim::Settings settings = {}) {
        settings.checkpoints = true;
        core::Ledger ledger(tests::servers_of_units({4 * gpu, 4 * gpu}, "nvidia.com/gpu"));
        tests::ListSource source({std::move(job)});
        sim::RunControl control;
        control.check_invariants = true;
        std::vector<std::string> told;
        result =
            sim::Simulation(ledger, source, settings, *this, control, [&](sim::Actions& actions) {
                return std::make_unique<tests::Scripted>(actions, script, told);
            }).run();
    }
    void job(const sim::JobRecord& one) override { record = one; }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}

    [[nodiscard]] double metric(const std::string& name) const {
        const auto found = std::ranges::find(result.metrics, name, &sim::Metric::name);
        REQUIRE(found != result.metrics.end());
        return found->value.value();
    }
    [[nodiscard]] double gpu_seconds(sim::GpuTimeUse use) const {
        return std::ranges::find(result.gpu_time, use, &sim::GpuTime::use)->gpu_seconds;
    }
    void check_gpu_seconds(double useful, double redone, double writing, double restarting) const {
        CHECK(gpu_seconds(sim::GpuTimeUse::allocated) == Approx(useful));
        CHECK(gpu_seconds(sim::GpuTimeUse::redone) == Approx(redone));
        CHECK(gpu_seconds(sim::GpuTimeUse::checkpoint) == Approx(writing));
        CHECK(gpu_seconds(sim::GpuTimeUse::restart) == Approx(restarting));
        const double held = useful + redone + writing + restarting;
        CHECK(metric("goodput") == Approx(useful / held));
        double sum = 0;
        for (const sim::GpuTime& time : result.gpu_time) {
            sum += time.gpu_seconds;
        }
        CHECK(sum == Approx(8 * sim::seconds(result.end)));
    }

    sim::JobRecord record;
    sim::RunResult result;
};

}  // namespace

TEST_CASE("checkpoint: a write follows each full interval, the last one too", "[sim]") {
    const Run whole(writer(30s), {{0s, start()}});
    CHECK(whole.record.finish == SimTime(36s));
    CHECK(whole.record.kept == SimTime(30s));
    CHECK(whole.record.writing == SimTime(6s));
    CHECK(whole.record.restarting == SimTime(0s));  // nothing has interrupted it
    CHECK(whole.metric("ettr_mean") == Approx(30.0 / 36));
    whole.check_gpu_seconds(30, 0, 6, 0);
    CHECK(whole.result.events == 3);  // it comes, starts and finishes: no write is an event
    CHECK(Run(writer(25s), {{0s, start()}}).record.finish == SimTime(29s));
    CHECK(Run(writer(10s), {{0s, start()}}).record.finish == SimTime(12s));
    CHECK(Run(writer(9s), {{0s, start()}}).record.finish == SimTime(9s));
}

TEST_CASE("checkpoint: an interruption loses what is not written", "[sim]") {
    sim::Settings settings;
    settings.lost_work = 0.5;  // this is for jobs without checkpoints
    SECTION("work in the second interval") {
        // 10 s of work are written at 12 s, and 3 s are lost. From 20 s on the job restarts for 5
        // s, and has 20 s of work and two writes to go.
        const Run run(writer(30s), {{0s, start()}, {15s, evict()}, {20s, start()}}, settings);
        CHECK(run.record.lost == SimTime(3s));
        CHECK(run.record.finish == SimTime(49s));
        CHECK(run.metric("ettr_mean") == Approx(30.0 / 49));
        run.check_gpu_seconds(30, 3, 6, 5);
        CHECK(run.record.pasts[0].kept == SimTime(10s));
        CHECK(run.record.pasts[0].lost == SimTime(3s));
        CHECK(run.record.first_start == SimTime(0s));
    }
    SECTION("a write that is not complete saves nothing") {
        const Run run(writer(30s), {{0s, start()}, {11s, evict()}, {20s, start()}}, settings);
        CHECK(run.record.lost == SimTime(10s));
        CHECK(run.record.finish == SimTime(20s + 5s + 36s));
        run.check_gpu_seconds(30, 10, 7, 5);
    }
    SECTION("a write that is complete saves all") {
        const Run run(writer(30s), {{0s, start()}, {12s, evict()}, {20s, start()}}, settings);
        CHECK(run.record.lost == SimTime(0s));
        CHECK(run.record.finish == SimTime(20s + 5s + 24s));
        run.check_gpu_seconds(30, 0, 6, 5);
    }
    SECTION("an interruption of the restart loses no work, and it begins anew") {
        const Run run(
            writer(30s),
            {{0s, start()}, {15s, evict()}, {20s, start()}, {24s, evict()}, {30s, start()}},
            settings);
        CHECK(run.record.lost == SimTime(3s));
        CHECK(run.record.finish == SimTime(30s + 5s + 24s));
        run.check_gpu_seconds(30, 3, 6, 9);
    }
    SECTION("while the last write lasts") {
        const Run run(writer(10s), {{0s, start()}, {11s, evict()}, {20s, start()}}, settings);
        CHECK(run.record.lost == SimTime(10s));
        CHECK(run.record.finish == SimTime(20s + 5s + 12s));
    }
}

TEST_CASE("checkpoint: a write goes on beside the work, and saves when it is complete", "[sim]") {
    // The job stops from 10 s to 11 s, and from 21 s to 22 s; the writes are complete at 15 s and
    // 26 s.
    sim::Job job = writer(30s);
    job.checkpoint = sim::Checkpoint{10s, 5s, 5s, 4s};
    const Run whole(job, {{0s, start()}});
    CHECK(whole.record.finish == SimTime(33s));
    CHECK(whole.record.writing == SimTime(3s));
    whole.check_gpu_seconds(30, 0, 3, 0);
    const Run saved(job, {{0s, start()}, {15s, evict()}, {20s, start()}});
    CHECK(saved.record.lost == SimTime(4s));
    CHECK(saved.record.finish == SimTime(20s + 5s + 22s));
    saved.check_gpu_seconds(30, 4, 3, 5);
    const Run lost(job, {{0s, start()}, {24s, evict()}, {30s, start()}});
    CHECK(lost.record.lost == SimTime(12s));
    CHECK(lost.record.finish == SimTime(30s + 5s + 22s));
    lost.check_gpu_seconds(30, 12, 4, 5);
    // The work that is done again is not one piece: the job stopped from 21 s to 22 s.
    const auto redone = [&](SimTime from, SimTime to) {
        sim::Settings settings;
        settings.window = {from, to};
        const Run run(job, {{0s, start()}, {24s, evict()}, {30s, start()}}, settings);
        return run.metric("gpu_time_redone") * 8 * sim::seconds(to - from);
    };
    CHECK(redone(0s, 11s) == Approx(0).margin(1e-12));
    CHECK(redone(10s, 20s) == Approx(9));
    CHECK(redone(20s, 23s) == Approx(2));
}

TEST_CASE("checkpoint: without one, work is lost as lostWork says, and told", "[sim]") {
    sim::Job job = writer(30s);
    job.checkpoint.reset();
    sim::Settings settings;
    settings.lost_work = 0.5;
    const Run run(job, {{0s, start()}, {12s, evict()}, {20s, start()}}, settings);
    CHECK(run.record.finish == SimTime(20s + 24s));
    run.check_gpu_seconds(30, 6, 0, 0);
    CHECK(run.metric("ettr_mean") == Approx(30.0 / 44));
}

TEST_CASE("checkpoint: what was done by the end of the run counts", "[sim]") {
    sim::Settings settings;
    settings.until = 15s;
    const Run runs(writer(30s), {{0s, start()}}, settings);
    CHECK(runs.record.kept == SimTime(13s));
    CHECK(runs.metric("ettr_mean") == Approx(13.0 / 15));
    runs.check_gpu_seconds(13, 0, 2, 0);
    const Run waits(writer(30s), {{0s, start()}, {14s, evict()}}, settings);
    CHECK(waits.record.kept == SimTime(10s));
    CHECK(waits.metric("ettr_mean") == Approx(10.0 / 15));
    waits.check_gpu_seconds(10, 2, 2, 0);
}

TEST_CASE("checkpoint: shares of GPU time are those in the window", "[sim]") {
    // The job works until 10 s, writes until 12 s and works until 15 s, which is lost; it restarts
    // from 20 s to 25 s.
    const tests::Scripted::Script script{{0s, start()}, {15s, evict()}, {20s, start()}};
    const auto share = [&](SimTime from, SimTime to, const std::string& use) {
        sim::Settings settings;
        settings.window = {from, to};
        return Run(writer(30s), script, settings).metric("gpu_time_" + use) * 8 *
               sim::seconds(to - from);
    };
    CHECK(share(11s, 13s, "checkpoint") == Approx(1));
    CHECK(share(11s, 13s, "redone") == Approx(1));
    CHECK(share(14s, 24s, "redone") == Approx(1));
    CHECK(share(14s, 24s, "restart") == Approx(4));
    CHECK(share(14s, 24s, "allocated") == Approx(0).margin(1e-12));
    CHECK(share(24s, 26s, "restart") == Approx(1));
}

TEST_CASE("checkpoint: work is redone that came before a write that went on", "[sim]") {
    const auto share = [](SimTime from, SimTime to, const std::string& use) {
        sim::Settings settings;
        settings.window = {from, to};
        const Run run(writer(30s), {{0s, start()}, {11s, evict()}, {20s, start()}}, settings);
        return run.metric("gpu_time_" + use) * 8 * sim::seconds(to - from);
    };
    CHECK(share(0s, 10s, "redone") == Approx(10));
    CHECK(share(10s, 12s, "redone") == Approx(0).margin(1e-12));
    CHECK(share(10s, 12s, "checkpoint") == Approx(1));
}

TEST_CASE("checkpoint: who is suspended keeps all, and does not restart", "[sim]") {
    const auto suspend = [](sim::Actions& actions) { actions.suspend(first); };
    const auto resume = [](sim::Actions& actions) { actions.resume(first, on(actions, 1)); };
    // 13 s of work are done by 15 s; the other 17 s contain one full interval.
    const Run run(writer(30s), {{0s, start()}, {15s, suspend}, {20s, resume}});
    CHECK(run.record.lost == SimTime(0s));
    CHECK(run.record.finish == SimTime(20s + 17s + 2s));
    CHECK(run.record.restarting == SimTime(0s));
    // A job that is suspended 2 s into a restart restarts for the other 3 s.
    const Run restarting(
        writer(30s),
        {{0s, start()}, {15s, evict()}, {20s, start()}, {22s, suspend}, {30s, resume}});
    CHECK(restarting.record.finish == SimTime(30s + 3s + 24s));
    CHECK(restarting.record.restarting == SimTime(5s));
}

TEST_CASE("checkpoint: who moves loses what is not written, and restarts", "[sim]") {
    const Run run(
        writer(30s),
        {{0s, start()}, {15s, [](sim::Actions& actions) { actions.move(first, on(actions, 1)); }}});
    CHECK(run.record.lost == SimTime(3s));
    CHECK(run.record.finish == SimTime(15s + 5s + 24s));
}

TEST_CASE("checkpoint: in its grace a job goes on as before", "[sim]") {
    // At 23 s the job has done 20 s of work and one second of the second write.
    const Run evicted(writer(30s), {{0s, start()}, {13s, evict(10s)}, {30s, start()}});
    CHECK(evicted.record.lost == SimTime(10s));
    CHECK(evicted.record.finish == SimTime(30s + 5s + 24s));
    // The last write ends at 36 s, within the grace.
    const Run finished(writer(30s), {{0s, start()}, {27s, evict(9s)}});
    CHECK(finished.record.finish == SimTime(36s));
    CHECK(finished.record.outcome == sim::Outcome::finished);
}

TEST_CASE("checkpoint: a slow-down stretches work alone", "[sim]") {
    sim::Settings settings;
    settings.run_time = {{"", {3000, 1500}, 1000}};  // the factor on one server is 1.5
    // 10 s of work take 15 s: the writes end at 17 s, 32 + 2 s and 49 + 2 s.
    CHECK(Run(writer(30s), {{0s, start()}}, settings).record.finish == SimTime(51s));
    // At 20 s, 2 s of work of the second interval are done, which took 3 s.
    const Run run(writer(30s), {{0s, start()}, {20s, evict()}, {20s, start()}}, settings);
    CHECK(run.record.lost == SimTime(2s));
    CHECK(run.record.finish == SimTime(20s + 5s + 34s));
    run.check_gpu_seconds(45, 3, 6, 5);
}

TEST_CASE("checkpoint: members that leave or join have their part of the time", "[sim]") {
    sim::Job group = writer(30s);
    group.group = true;
    group.size = 2;
    group.min_available = 1;
    const auto to = [](core::Members size) {
        return [=](sim::Actions& actions) {
            actions.resize(first, size, on(actions, 0, size).servers);
        };
    };
    // One of two members leaves at 11 s, in the first write; another joins at 14 s; all stop at 16
    // s.
    const Run run(
        group, {{0s, start(0, 2)}, {11s, to(1)}, {14s, to(2)}, {16s, evict()}, {20s, start(0, 2)}});
    CHECK(run.record.finish == SimTime(20s + 5s + 24s));
    run.check_gpu_seconds(10 + 10 + 2 * 20, 4 + 2, 2 + 1 + 2 * 4, 2 * 5);
    CHECK(run.record.pasts[0].kept == SimTime(10s));
    CHECK(run.record.pasts[0].lost == SimTime(4s));
    CHECK(run.record.pasts[2].kept == SimTime(0s));
    CHECK(run.record.pasts[2].lost == SimTime(2s));
}

TEST_CASE("checkpoint: a job holds its places for its writes and its restart", "[sim]") {
    sim::JobState state;
    state.record.job = writer(30s);
    state.left = SimTime(30s);
    CHECK(sim::expected_run(state) == SimTime(36s));
    state.left = SimTime(20s);
    state.restart = 5s;
    CHECK(sim::expected_run(state) == SimTime(5s + 24s));
    state.record.job.estimate = 50s;  // for the whole job, as its user states it
    CHECK(sim::expected_run(state) == SimTime(40s));
}

TEST_CASE("checkpoint: the closed form is what a count of each nanosecond gives", "[sim]") {
    std::mt19937_64 bits(7);
    const auto below = [&](std::uint64_t most) { return static_cast<std::int64_t>(bits() % most); };
    for (int round = 0; round < 300; ++round) {
        sim::Checkpoint terms{SimTime(1 + below(9)), SimTime(below(4)), SimTime(below(5))};
        terms.takes = std::min(terms.takes, terms.every);
        terms.beside =
            SimTime(below(2) * below(static_cast<std::uint64_t>(terms.takes.count()) + 1));
        const std::int64_t factor = std::vector{1000, 1250, 1500, 3000}.at(bits() % 4);
        const std::int64_t interval = (terms.every.count() * factor + 999) / 1000;
        SimTime restarting{};
        SimTime writing{};
        std::int64_t in_interval = 0;
        std::int64_t in_write = 0;
        SimTime written{};
        SimTime pending{};  // to be saved by a write beside the work
        SimTime beside{};
        for (SimTime time{}; time < SimTime(60); ++time) {
            if (in_interval == interval && in_write == terms.stall().count()) {
                written += pending;
                pending = terms.every;
                beside = terms.beside;
                in_interval = in_write = 0;
            }
            if (beside == SimTime(0)) {
                written += std::exchange(pending, SimTime(0));
            }
            const sim::TimeSpent spent = time_spent(terms, terms.restart, time, factor);
            const SimTime unwritten(std::min(in_interval * 1000 / factor, terms.every.count()));
            REQUIRE(spent.restarting == restarting);
            REQUIRE(spent.writing == writing);
            REQUIRE(spent.working == time - restarting - writing);
            REQUIRE(spent.unwritten == pending + unwritten);
            REQUIRE(spent.work == written + pending + unwritten);
            REQUIRE(spent.beside_write == SimTime(pending > SimTime(0) ? interval : 0));
            REQUIRE(spent.write_so_far == SimTime(in_write));
            beside -= SimTime(beside > SimTime(0) ? 1 : 0);
            if (restarting < terms.restart) {
                ++restarting;
            } else if (in_interval < interval) {
                ++in_interval;
            } else {
                ++in_write;
                ++writing;
            }
        }
        const SimTime left(below(40));
        const SimTime run = run_time_with(terms, terms.restart, left, factor);
        const sim::TimeSpent all = time_spent(terms, terms.restart, run, factor);
        CHECK(left - all.work <= SimTime(1));
        CHECK(all.work <= left);
    }
}

TEST_CASE("checkpoint: one that is never written costs nothing", "[sim]") {
    const sim::Checkpoint terms{sim::never, 2s, 5s};
    CHECK(run_time_with(terms, 0s, 30s, 3000) == SimTime(90s));
    CHECK(time_spent(terms, 5s, 8s, 1000).unwritten == SimTime(3s));
    CHECK(run_time_with(sim::Checkpoint{1s, 2s, 0s}, 0s, sim::never - 1s, 1000) == sim::never);
}
