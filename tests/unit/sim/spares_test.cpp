// Servers that are kept free for jobs that lose one of theirs: schedules computed by hand. Every
// run compares its whole state with a fresh computation.

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/sim/outage_runs.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

using Servers = std::vector<std::uint32_t>;

/// Keeps that many spares below each node of a level: 0 is the cluster, 1 the racks.
sim::Settings with_spares(std::uint32_t level, std::uint32_t count) {
    sim::Settings settings;
    settings.on_failure.keeps_place = true;
    settings.on_failure.shrinks = true;
    settings.on_failure.replaces = true;
    settings.on_failure.spares = {core::Level{level}, count};
    settings.until = 1000s;
    return settings;
}

sim::Job pod(std::string name, sim::SimTime duration) {
    sim::Job job = gang(std::move(name), 1, 0s, duration);
    job.group = false;
    return job;
}

/// The servers of a job's last run.
Servers places(const sim::JobRecord& record) {
    Servers servers;
    for (const sim::Stint& stint : record.stints) {
        servers.push_back(stint.server.index);
    }
    std::ranges::sort(servers);
    return servers;
}

const sim::JobRecord& job(const OutageRun& run, const std::string& name) {
    return *std::ranges::find(run.jobs, name, [](const auto& record) { return record.job.name; });
}

}  // namespace

// Racks are nodes 1 and 2; with three servers each, the servers are nodes 3 to 8.

TEST_CASE("spares: the last servers of each node start nobody", "[sim][spares]") {
    Script failures({});
    const OutageRun run(racks_of(2, 3),
                        {gang("four", 4, 0s, 100s), gang("one", 1, 0s, 100s)},
                        failures,
                        with_spares(1, 1));
    CHECK(places(job(run, "four")) == Servers{0, 1, 3, 4});
    CHECK(job(run, "one").start == sim::SimTime(100s));
}

TEST_CASE("spares: who loses a member goes on with one of its rack", "[sim][spares]") {
    Script failures({fails(10s, 0, 3)});
    const OutageRun run(racks_of(2, 3), {gang("g", 4, 0s, 100s)}, failures, with_spares(1, 1));
    CHECK(run.jobs[0].start == sim::SimTime(10s));
    CHECK(places(run.jobs[0]) == Servers{1, 2, 3, 4});
    CHECK(run.jobs[0].finish == sim::SimTime(110s));
}

TEST_CASE("spares: those of another rack stay where they are", "[sim][spares]") {
    // Two servers of a rack fail, and the rack has one spare.
    const auto start = [](std::uint32_t level, std::uint32_t count) {
        Script failures({fails(10s, 0, 3), fails(10s, 1, 4), is_back(50s, 0), is_back(50s, 1)});
        const OutageRun run(
            racks_of(2, 3), {gang("g", 4, 0s, 100s)}, failures, with_spares(level, count));
        return run.jobs[0].start;
    };
    CHECK(start(1, 1) == sim::SimTime(50s));
    CHECK(start(0, 2) == sim::SimTime(10s));
}

TEST_CASE("spares: the nearest one is taken, of two the one before", "[sim][spares]") {
    // Four pods are on servers 0 to 3 of six, two in a rack; 4 and 5 are the spares. Server 1 fails
    // and comes back as a spare, since 4 was taken; it is the nearest when server 0 fails. Server 0
    // also comes back as a spare, and is as near to server 3 as 5 is.
    Script failures(
        {fails(5s, 0, 5), is_back(6s, 0), fails(10s, 1, 4), is_back(12s, 1), fails(20s, 2, 7)});
    const OutageRun run(
        racks_of(3, 2),
        {pod("on 0", 100s), pod("on 1", 100s), pod("on 2", 100s), pod("on 3", 100s)},
        failures,
        with_spares(0, 2));
    CHECK(places(job(run, "on 1")) == Servers{4});
    CHECK(places(job(run, "on 0")) == Servers{1});
    CHECK(places(job(run, "on 2")) == Servers{2});
    CHECK(places(job(run, "on 3")) == Servers{0});
}

TEST_CASE("spares: whose place was taken is a spare when it is back", "[sim][spares]") {
    // Server 0 fails at 10 s and is a spare from 20 s on, so 'next' waits for the end of g.
    Script failures({fails(10s, 0, 2), is_back(20s, 0)});
    const OutageRun run(racks_of(1, 3),
                        {gang("g", 2, 0s, 100s), gang("next", 1, 15s, 10s)},
                        failures,
                        with_spares(1, 1));
    CHECK(places(job(run, "g")) == Servers{1, 2});
    CHECK(job(run, "next").start == sim::SimTime(110s));
    // Servers 1 and 2 become free at 110 s, and there is a spare.
    CHECK(places(job(run, "next")) == Servers{1});
}

TEST_CASE("spares: a server that comes free takes the place of one that was taken",
          "[sim][spares]") {
    // Server 3 replaces server 0 at 10 s. 'short' leaves server 2 at 30 s, which is kept as a
    // spare.
    Script failures({fails(10s, 0, 2)});
    const OutageRun run(racks_of(1, 4),
                        {gang("g", 2, 0s, 100s), gang("short", 1, 0s, 30s), gang("w", 1, 5s, 10s)},
                        failures,
                        with_spares(1, 1));
    CHECK(places(job(run, "short")) == Servers{2});
    CHECK(places(job(run, "g")) == Servers{1, 3});
    CHECK(job(run, "w").start == sim::SimTime(110s));
}

TEST_CASE("spares: one that fails is none any more", "[sim][spares]") {
    // Server 2, the spare, fails at 10 s; server 1, which is idle, is kept instead, and 2 is an
    // ordinary server from 20 s on.
    Script failures({fails(10s, 0, 4), is_back(20s, 0)});
    const OutageRun run(racks_of(1, 3),
                        {gang("one", 1, 0s, 100s), gang("two", 1, 15s, 10s)},
                        failures,
                        with_spares(1, 1));
    CHECK(places(job(run, "one")) == Servers{0});
    CHECK(job(run, "two").start == sim::SimTime(20s));
    CHECK(places(job(run, "two")) == Servers{2});
}

TEST_CASE("spares: one that fails with the server that it would stand in for is not offered",
          "[sim][spares]") {
    Script failures({fails(10s, 0, 1), is_back(20s, 0)});
    const OutageRun run(racks_of(1, 3), {gang("g", 2, 0s, 100s)}, failures, with_spares(1, 1));
    CHECK(run.jobs[0].start == sim::SimTime(20s));
    CHECK(places(run.jobs[0]) == Servers{0, 1});
}

TEST_CASE("spares: one that has failed unnoticed is taken for one that works", "[sim][spares]") {
    Script failures({fails_unnoticed(5s, 0, 4), fails(10s, 1, 2), is_detected(30s, 0)});
    const OutageRun run(racks_of(1, 3), {gang("g", 2, 0s, 100s)}, failures, with_spares(1, 1));
    CHECK(run.jobs[0].evictions[2] == 2);
    CHECK(run.jobs[0].hung == sim::SimTime(20s));
    CHECK_FALSE(run.jobs[0].start);
}

TEST_CASE("spares: a pod, or a group of which nobody is left, goes on there too", "[sim][spares]") {
    Script failures({fails(10s, 0, 2), fails(20s, 1, 3)});
    const OutageRun run(racks_of(1, 4),
                        {pod("pod", 100s), gang("group", 1, 0s, 100s)},
                        failures,
                        with_spares(1, 2));
    CHECK(places(job(run, "pod")) == Servers{2});
    CHECK(job(run, "pod").start == sim::SimTime(10s));
    CHECK(places(job(run, "group")) == Servers{3});
    CHECK(job(run, "group").start == sim::SimTime(20s));
}

TEST_CASE("spares: one that is not taken is there for nobody else", "[sim][spares]") {
    // Server 3 is the spare. 'g' has the first rack, which fails, and would need two servers in one
    // rack; 'grows', which asks for a second member at the same instant, finds no place.
    Script failures({fails(10s, 0, 1)});
    core::LevelConstraint in_one;
    in_one.hard = true;
    sim::Job g = gang("g", 2, 0s, 100s);
    g.constraints.emplace(3).set(core::Level{1}, in_one);
    sim::Job grows = gang("grows", 1, 2s, 100s);
    grows.resizes = {{10s, 2}};
    const OutageRun run(racks_of(2, 2), {g, grows}, failures, with_spares(0, 1));
    CHECK_FALSE(job(run, "g").start);
    CHECK(places(job(run, "grows")) == Servers{2});
    CHECK(job(run, "grows").resizes_refused == 1);
}

TEST_CASE("spares: one that would be drained before the end is not offered", "[sim][spares]") {
    // Of the spares, server 2 is the nearer one. If it were drained at 50 s, g would be evicted.
    const auto used = [](sim::SimTime drained_at) {
        Script failures({fails(10s, 0, 2)});
        sim::Settings settings = with_spares(1, 2);
        settings.drains = {{drained_at, 500s, core::NodeId{4}}};
        const OutageRun run(racks_of(1, 4), {gang("g", 2, 0s, 100s)}, failures, settings);
        return places(run.jobs[0]);
    };
    CHECK(used(400s) == Servers{1, 2});
    CHECK(used(50s) == Servers{1, 3});
}

TEST_CASE("spares: one that is drained is none any more", "[sim][spares]") {
    // The spare, server 2, is drained from 10 s to 20 s; server 1 is kept instead, from 10 s on.
    Script failures({});
    sim::Settings settings = with_spares(1, 1);
    settings.drains = {{10s, 20s, core::NodeId{4}}};
    const OutageRun run(
        racks_of(1, 3), {gang("one", 1, 0s, 100s), gang("two", 1, 12s, 10s)}, failures, settings);
    CHECK(places(job(run, "one")) == Servers{0});
    CHECK(job(run, "two").start == sim::SimTime(20s));
    CHECK(places(job(run, "two")) == Servers{2});
}

TEST_CASE("spares: nobody is promised one", "[sim][spares][backfill]") {
    // 'wide' needs all three servers, but one of them is always a spare, also when the failed one
    // is back: it never starts.
    const auto start = [](const char* policy) {
        Script failures({fails(10s, 0, 2), is_back(40s, 0)});
        sim::Settings settings = with_spares(1, 1);
        settings.profile.queue = sim::queue_policy(policy);
        const OutageRun run(racks_of(1, 3),
                            {gang("g", 2, 0s, 100s),
                             gang("wide", 3, 1s, 10s),
                             gang("two", 2, 2s, 10s),
                             gang("one", 1, 3s, 10s)},
                            failures,
                            settings);
        CHECK_FALSE(job(run, "wide").start);
        CHECK(job(run, "g").start == sim::SimTime(10s));
        CHECK(job(run, "two").start == sim::SimTime(110s));
        return job(run, "one").start;
    };
    CHECK(start("conservative-backfill") == sim::SimTime(120s));
    CHECK(start("replanned-backfill") == sim::SimTime(120s));
}
