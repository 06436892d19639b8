#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/sim/outage_runs.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

sim::Settings going_on(bool replaces) {
    sim::Settings settings;
    settings.on_failure.keeps_place = true;
    settings.on_failure.shrinks = true;
    settings.on_failure.replaces = replaces;
    return settings;
}

sim::Job elastic(sim::Job job, core::Members least) {
    job.min_available = least;
    return job;
}

/// The servers of a job's last run.
std::vector<std::uint32_t> places(const sim::JobRecord& record) {
    std::vector<std::uint32_t> servers;
    for (const sim::Stint& stint : record.stints) {
        servers.push_back(stint.server.index);
    }
    std::ranges::sort(servers);
    return servers;
}

/// A job with one of its two members in each rack if possible.
sim::Job on_both_racks(sim::Job job) {
    core::LevelConstraint spread;
    spread.affinity = core::Affinity::spread;
    job.constraints.emplace(3).set(core::Level{1}, spread);
    return job;
}

}  // namespace

// Racks are nodes 1 and 2; with two servers each, the servers are nodes 3 to 6.

TEST_CASE("recovery: a group goes on with the members that are left", "[sim][recovery]") {
    Script failures({fails(10s, 0, 4), is_back(1000s, 0)});
    const OutageRun run(
        racks_of(2, 2), {elastic(gang("g", 4, 0s, 100s), 3)}, failures, going_on(false));
    CHECK(run.jobs[0].start == sim::SimTime(10s));
    CHECK(places(run.jobs[0]) == std::vector<std::uint32_t>{0, 2, 3});
    CHECK(run.jobs[0].placed == 3);
    CHECK(run.jobs[0].job.size == 4);
    CHECK(run.jobs[0].lost == sim::SimTime(10s));
    CHECK(run.jobs[0].finish == sim::SimTime(110s));
    CHECK(run.metric("interruptions") == 1);
}

TEST_CASE("recovery: with too few members left, it waits", "[sim][recovery]") {
    Script failures({fails(10s, 0, 1), is_back(50s, 0)});
    const OutageRun run(
        racks_of(2, 2), {elastic(gang("g", 4, 0s, 100s), 3)}, failures, going_on(false));
    CHECK(run.jobs[0].start == sim::SimTime(50s));
    CHECK(run.jobs[0].placed == 4);
}

TEST_CASE("recovery: who was lost is replaced, and nobody else moves", "[sim][recovery]") {
    Script failures({fails(10s, 0, 3), is_back(1000s, 0)});
    const OutageRun run(racks_of(2, 2), {gang("g", 3, 0s, 100s)}, failures, going_on(true));
    CHECK(run.jobs[0].start == sim::SimTime(10s));
    CHECK(places(run.jobs[0]) == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(run.jobs[0].finish == sim::SimTime(110s));
}

TEST_CASE("recovery: what is left goes on where nobody replaces the lost", "[sim][recovery]") {
    const auto placed = [](core::Members least) {
        Script failures({fails(10s, 0, 3), is_back(30s, 0)});
        const OutageRun run(
            racks_of(1, 2), {elastic(gang("g", 2, 0s, 100s), least)}, failures, going_on(true));
        return std::pair(run.jobs[0].start, run.jobs[0].placed);
    };
    CHECK(placed(1) == std::pair(sim::OptionalTime(10s), core::Members{1}));
    CHECK(placed(2) == std::pair(sim::OptionalTime(30s), core::Members{2}));
}

TEST_CASE("recovery: who is first in the queue has the first choice", "[sim][recovery]") {
    // The third rack fails, and with servers 6 and 7 a member of each of two groups is lost. The
    // long group still has servers 3 to 5 and the short one 9 to 11, and only server 2 is free.
    Script failures({fails(10s, 0, 3)});
    sim::Settings settings = going_on(true);
    settings.profile.queue = sim::queue_policy("shortest-job");
    const OutageRun run(racks_of(4, 3),
                        {gang("stays", 2, 0s, 1000s),
                         gang("long", 4, 1s, 100s),
                         gang("short", 4, 2s, 50s),
                         gang("waits", 3, 3s, 10s)},
                        failures,
                        settings);
    CHECK(run.jobs[2].start == sim::SimTime(10s));
    CHECK(places(run.jobs[2]) == std::vector<std::uint32_t>{2, 9, 10, 11});
    // The long group's member is not replaced, so its other places become free.
    CHECK(run.jobs[1].evictions[2] == 1);
    CHECK(run.jobs[1].start == sim::SimTime(60s));
    CHECK(run.jobs[3].start == sim::SimTime(10s));
    CHECK(places(run.jobs[3]) == std::vector<std::uint32_t>{3, 4, 5});
}

TEST_CASE("recovery: nobody is replaced where another one is still", "[sim][recovery]") {
    // As above, but both groups may go on with three members. There is no server for a fourth.
    Script failures({fails(10s, 0, 3)});
    sim::Settings settings = going_on(true);
    settings.profile.queue = sim::queue_policy("shortest-job");
    const OutageRun run(racks_of(4, 3),
                        {gang("stays", 2, 0s, 1000s),
                         elastic(gang("long", 4, 1s, 100s), 3),
                         elastic(gang("short", 4, 2s, 50s), 3),
                         gang("stays too", 1, 3s, 1000s)},
                        failures,
                        settings);
    CHECK(run.jobs[1].start == sim::SimTime(10s));
    CHECK(run.jobs[1].placed == 3);
    CHECK(run.jobs[2].start == sim::SimTime(10s));
    CHECK(run.jobs[2].placed == 3);
}

TEST_CASE("recovery: a rack is gone before anybody goes on", "[sim][recovery]") {
    // Both servers of a rack fail in one event. A job that went on after the first failure would be
    // interrupted again by the second.
    Script failures({fails(10s, 0, 1), is_back(1000s, 0)});
    const OutageRun run(
        racks_of(2, 2), {elastic(gang("g", 4, 0s, 100s), 1)}, failures, going_on(false));
    CHECK(run.jobs[0].evictions[2] == 1);
    CHECK(run.jobs[0].placed == 2);
    CHECK(places(run.jobs[0]) == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("recovery: it gives up as often as others do", "[sim][recovery]") {
    Script failures({fails(10s, 0, 3), is_back(11s, 0), fails(20s, 1, 4), is_back(21s, 1)});
    sim::Settings settings = going_on(true);
    settings.on_failure.give_up_after = 2;
    const OutageRun run(racks_of(1, 3), {gang("g", 2, 0s, 100s)}, failures, settings);
    CHECK(run.jobs[0].outcome == sim::Outcome::dropped);
    CHECK(run.jobs[0].evictions[2] == 2);
}

TEST_CASE("recovery: nobody goes on where the server is drained before the end",
          "[sim][recovery]") {
    // The second rack is drained from 60 s on. Without the failure, the job would have been gone by
    // then.
    const auto servers = [](sim::SimTime drained_at) {
        Script failures({fails(30s, 0, 3)});
        sim::Settings settings = going_on(false);
        settings.until = 1000s;
        settings.drains = {{drained_at, 200s, core::NodeId{2}}};
        const OutageRun run(
            racks_of(2, 2), {elastic(gang("g", 4, 0s, 50s), 1)}, failures, settings);
        CHECK(run.jobs[0].start == sim::SimTime(30s));
        return places(run.jobs[0]);
    };
    CHECK(servers(60s) == std::vector<std::uint32_t>{1});
    CHECK(servers(80s) == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("recovery: the spare goes to whom fair-share prefers then", "[sim][recovery]") {
    // In two racks with three servers each, A is on servers 0 and 3, B on 1 and 4, and C on 2;
    // server 5 is free. The first rack fails at 10 s. When jobs were last looked at, at 4 s, ann
    // had used nothing and bob 4 s; at 10 s ann has used 18 s and bob 16 s.
    Script failures({fails(10s, 0, 1)});
    sim::Settings settings = going_on(true);
    settings.profile.queue = sim::queue_policy("fair-share");
    settings.profile.solver = sim::Solver::exact;
    settings.until = 20s;
    const auto of = [](const char* user, sim::Job job) {
        job.user = user;
        return job;
    };
    const OutageRun run(racks_of(2, 3),
                        {of("bob", on_both_racks(gang("A", 2, 2s, 100s))),
                         of("ann", on_both_racks(gang("B", 2, 4s, 100s))),
                         of("ann", gang("C", 1, 4s, 100s)),
                         of("bob", gang("too large", 7, 4s, 100s))},
                        failures,
                        settings);
    const auto record = [&](const char* name) {
        return *std::ranges::find(run.jobs, name, [](const auto& job) { return job.job.name; });
    };
    CHECK(record("A").start == sim::SimTime(10s));
    CHECK(places(record("A")) == std::vector<std::uint32_t>{3, 5});
    CHECK_FALSE(record("B").start);
}
