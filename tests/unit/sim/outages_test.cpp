#include <catch2/catch.hpp>
#include <optional>
#include <utility>

#include "tests/unit/sim/outage_runs.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

TEST_CASE("outages: a rack takes its servers with it, and a gang once", "[sim][outages]") {
    Script failures({fails(10s, 0, 1), is_back(30s, 0)});
    const OutageRun run(racks_of(2, 2), {gang("g", 3, 0s, 100s)}, failures);
    REQUIRE(run.outages.size() == 1);
    CHECK(run.outages[0].jobs == 1);
    CHECK(run.outages[0].back == sim::SimTime(30s));
    REQUIRE(run.jobs.size() == 1);
    CHECK(run.jobs[0].start == sim::SimTime(30s));  // three of the four servers are needed
    CHECK(run.jobs[0].evictions[2] == 1);
    CHECK(run.metric("interruptions") == 1);
    CHECK(run.metric("interruptions[power]") == 1);
    CHECK(run.metric("interruptions[board]") == 0);
    CHECK(run.metric("mttf_s") == 110);
    // Until 130 s: one of two racks was out for 20 s, and two of four servers.
    CHECK(run.metric("availability_rack") == Approx(1 - 20.0 / 260));
    CHECK(run.metric("availability_server") == Approx(1 - 40.0 / 520));
}

TEST_CASE("outages: a server is back when nothing holds it any more", "[sim][outages]") {
    // The server fails, then its rack; the server is repaired first.
    Script failures({fails(10s, 0, 2), fails(20s, 1, 1), is_back(30s, 0), is_back(40s, 1)});
    const OutageRun run(racks_of(1, 1), {gang("g", 1, 0s, 100s)}, failures);
    CHECK(run.jobs[0].start == sim::SimTime(40s));
    CHECK(run.outages[0].jobs == 1);
    CHECK(run.outages[1].jobs == 0);
    CHECK(run.metric("availability_server") == Approx(1 - 30.0 / 140));
}

TEST_CASE("outages: what the experiment takes away stays away", "[sim][outages]") {
    sim::Settings settings;
    settings.node_changes = {{5s, core::ServerId{0}, false}, {60s, core::ServerId{0}, true}};
    Script failures({fails(10s, 0, 1), is_back(30s, 0)});
    const OutageRun run(racks_of(1, 1), {gang("g", 1, 0s, 100s)}, failures, settings);
    CHECK(run.jobs[0].start == sim::SimTime(60s));
    CHECK(run.metric("interruptions") == 1);
    CHECK(run.metric("interruptions[power]") == 0);
    CHECK(run.outages[0].jobs == 0);
}

TEST_CASE("outages: those that are over later are recorded in order", "[sim][outages]") {
    Script failures({fails(10s, 0, 3), fails(20s, 1, 4), is_back(30s, 1)});
    sim::Settings settings;
    settings.until = 100s;
    const OutageRun run(racks_of(2, 2), {}, failures, settings);
    REQUIRE(run.outages.size() == 2);
    CHECK_FALSE(run.outages[0].back);
    CHECK(run.outages[1].back == sim::SimTime(30s));
    CHECK_FALSE(run.metric("mttf_s"));
}

TEST_CASE("outages: a job that is interrupted again and again is given up", "[sim][outages]") {
    // The job would still need 6 s, and after the first 10 s it runs for 5 s at a time.
    Endless failures(1);
    sim::Settings settings;
    settings.on_failure.give_up_after = 3;
    const OutageRun run(
        racks_of(1, 1), {gang("g", 1, 0s, 16s), gang("later", 1, 1s, 4s)}, failures, settings);
    CHECK(run.jobs[0].outcome == sim::Outcome::dropped);
    CHECK(run.jobs[0].reason == "given up after 3 interruptions by failures.");
    CHECK(run.metric("interruptions") == 3);
    CHECK(run.jobs[1].outcome == sim::Outcome::finished);
}

TEST_CASE("outages: who was interrupted waits at the end, or where it did", "[sim][outages]") {
    const auto order = [](bool keeps_place) {
        Script failures({fails(10s, 0, 1), is_back(20s, 0)});
        sim::Settings settings;
        settings.on_failure.keeps_place = keeps_place;
        const OutageRun run(racks_of(1, 1),
                            {gang("first", 1, 0s, 50s), gang("second", 1, 5s, 50s)},
                            failures,
                            settings);
        return std::pair(run.jobs[0].start, run.jobs[1].start);
    };
    CHECK(order(false) == std::pair(sim::OptionalTime(70s), sim::OptionalTime(20s)));
    CHECK(order(true) == std::pair(sim::OptionalTime(20s), sim::OptionalTime(70s)));
}

TEST_CASE("outages: a run ends with its jobs though failures go on", "[sim][outages]") {
    Endless failures(1);
    const OutageRun run(racks_of(1, 1), {gang("g", 1, 0s, 4s)}, failures);
    CHECK(run.result.end == sim::SimTime(4s));
    CHECK(run.outages.empty());
    sim::Settings sampled;
    sampled.sample_every = 3s;
    Endless again(1);
    const OutageRun with_samples(racks_of(1, 1), {gang("g", 1, 0s, 4s)}, again, sampled);
    CHECK(with_samples.samples == std::vector<sim::SimTime>{0s, 3s, 4s});
}

TEST_CASE("outages: a job that no repair can help does not keep a run going", "[sim][outages]") {
    Endless failures(1);
    const OutageRun run(racks_of(1, 1), {gang("too-large", 2, 0s, 4s)}, failures);
    CHECK(run.jobs[0].outcome == sim::Outcome::waiting);
    CHECK(run.result.end < sim::SimTime(60s));
}

TEST_CASE("outages: until one is detected, who runs there does nothing", "[sim][outages]") {
    // The racks are nodes 1 and 2, their servers are nodes 3 and 4.
    Script failures({fails_unnoticed(10s, 0, 3), is_detected(40s, 0), is_back(50s, 0)});
    sim::Settings settings;
    settings.detection = 30s;
    const OutageRun run(racks_of(2, 1), {gang("g", 2, 0s, 20s)}, failures, settings);
    // The member on the other server waits for the one that hangs. 10 s of work are lost.
    CHECK(run.jobs[0].start == sim::SimTime(50s));
    CHECK(run.jobs[0].finish == sim::SimTime(70s));
    CHECK(run.jobs[0].lost == sim::SimTime(10s));
    CHECK(run.jobs[0].hung == sim::SimTime(30s));
    CHECK(run.jobs[0].kept == sim::SimTime(20s));
    CHECK(run.metric("interruptions[power]") == 1);
    CHECK(run.outages[0].at == sim::SimTime(10s));
    CHECK(run.outages[0].jobs == 1);
    CHECK(run.metric("availability_server") == Approx(1 - 40.0 / 140));
}

TEST_CASE("outages: who starts on a server that has failed unnoticed hangs", "[sim][outages]") {
    Script failures({fails_unnoticed(10s, 0, 2), is_detected(40s, 0), is_back(50s, 0)});
    sim::Settings settings;
    settings.detection = 30s;
    const OutageRun run(
        racks_of(1, 1), {gang("g", 1, 0s, 5s), gang("later", 1, 12s, 5s)}, failures, settings);
    CHECK(run.jobs[0].finish == sim::SimTime(5s));
    CHECK(run.jobs[1].first_start == sim::SimTime(12s));
    CHECK(run.jobs[1].lost == sim::SimTime(0s));
    CHECK(run.jobs[1].hung == sim::SimTime(28s));
    CHECK(run.jobs[1].finish == sim::SimTime(55s));
}

TEST_CASE("outages: another one that is known ends what hangs", "[sim][outages]") {
    // The server fails unnoticed, then its rack fails. The rack is back first: the server is there
    // again, still broken, until its own failure is detected.
    Script failures({fails_unnoticed(10s, 0, 2),
                     fails(20s, 1, 1),
                     is_back(25s, 1),
                     is_detected(40s, 0),
                     is_back(60s, 0)});
    sim::Settings settings;
    settings.detection = 30s;
    const OutageRun run(racks_of(1, 1), {gang("g", 1, 0s, 30s)}, failures, settings);
    CHECK(run.jobs[0].evictions[2] == 2);
    CHECK(run.jobs[0].hung == sim::SimTime(25s));  // from 10 s to 20 s, and from 25 s to 40 s
    CHECK(run.jobs[0].finish == sim::SimTime(90s));
    CHECK(run.metric("availability_server") == Approx(1 - 50.0 / 90));
}

TEST_CASE("outages: a job that hangs asks for another size when it waits", "[sim][outages]") {
    // The job would give up its second member, which is on the server that has failed.
    Script failures({fails_unnoticed(10s, 0, 4), is_detected(40s, 0)});
    sim::Settings settings;
    settings.detection = 30s;
    sim::Job job = gang("g", 2, 0s, 20s);
    job.resizes = {{20s, 1}};
    const OutageRun run(racks_of(2, 1), {job}, failures, settings);
    CHECK(run.jobs[0].hung == sim::SimTime(30s));
    CHECK(run.jobs[0].job.size == 1);
    CHECK(run.jobs[0].start == sim::SimTime(40s));
    CHECK(run.jobs[0].finish == sim::SimTime(60s));
}

TEST_CASE("outages: a run may end before one is detected", "[sim][outages]") {
    Script failures({fails_unnoticed(10s, 0, 2)});
    sim::Settings settings;
    settings.detection = 30s;
    settings.until = 25s;
    const OutageRun run(racks_of(1, 1), {gang("g", 1, 0s, 12s)}, failures, settings);
    CHECK(run.jobs[0].outcome == sim::Outcome::running);
    CHECK(run.jobs[0].kept == sim::SimTime(10s));
    CHECK(run.jobs[0].hung == sim::SimTime(15s));
    CHECK(run.metric("ettr_mean") == Approx(10.0 / 25));
}

TEST_CASE("outages: who was to end in the grace of a drain, and hangs, goes at its end",
          "[sim][outages]") {
    Script failures({fails_unnoticed(12s, 0, 2), is_detected(100s, 0), is_back(110s, 0)});
    sim::Settings settings;
    settings.detection = 88s;
    settings.drains = {{10s, 40s, core::NodeId{2}, 10s, true}};
    sim::Job job = gang("g", 1, 0s, 15s);
    job.estimate = 5s;
    const OutageRun run(racks_of(1, 2), {job}, failures, settings);
    CHECK(run.jobs[0].evictions[static_cast<std::size_t>(sim::EvictionCause::drained)] == 1);
    CHECK(run.jobs[0].hung == sim::SimTime(8s));
    CHECK(run.jobs[0].start == sim::SimTime(20s));  // on the other server
    CHECK(run.jobs[0].finish == sim::SimTime(35s));
}
