// Pods that already run on a server when they arrive.

#include <map>

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

sim::Job on(std::uint32_t server, sim::Job job) {
    job.servers = std::vector{core::ServerId{server}};
    return job;
}

std::uint32_t server_of(const sim::JobRecord& record) {
    REQUIRE(record.stints.size() == 1);
    return record.stints.front().server.index;
}

}  // namespace

TEST_CASE("initial state: a pod holds its server from its arrival, without a decision",
          "[sim][initial]") {
    // Any score would have filled one server after the other.
    sim::Settings settings;
    settings.period = 10s;
    const QuotaRun run(servers_of({4, 4, 4}),
                       {on(2, pod("a", "", 0s, 25s, 3)),
                        on(1, pod("b", "", 0s, std::nullopt, 4)),
                        pod("new", "", 0s, 5s, 4)},
                       settings);
    CHECK(server_of(run.of("a")) == 2);
    CHECK(run.finish_s("a") == 25);
    CHECK(server_of(run.of("b")) == 1);
    CHECK(run.of("b").outcome == sim::Outcome::running);
    CHECK(server_of(run.of("new")) == 0);  // the only one that is idle
    CHECK(run.result.decisions == 1);
    CHECK(run.metric("wait_s_max") == 0);
}

TEST_CASE("initial state: nobody waits for the next cycle to hold what it has", "[sim][initial]") {
    sim::Settings settings;
    settings.period = 10s;
    const QuotaRun run(servers_of({4}), {on(0, pod("a", "", 3s, 1s, 4))}, settings);
    CHECK(run.start_s("a") == 3);
}

TEST_CASE("initial state: a pod without room on its server waits like any other",
          "[sim][initial]") {
    const std::map<std::uint32_t, core::Amount> in_use{{0, 3}};
    const QuotaRun run(servers_of({4, 4}),
                       {on(0, pod("a", "", 0s, 10s, 2)), on(1, pod("b", "", 0s, 10s, 4))},
                       sim::Settings{},
                       in_use);
    // b holds all of its server; a finds no room on either until b has left.
    CHECK(run.start_s("a") == 10);
    CHECK(server_of(run.of("a")) == 1);
}

TEST_CASE("initial state: a server that is not there yet has room for nobody", "[sim][initial]") {
    sim::Settings settings;
    settings.absent = {core::ServerId{0}};
    settings.node_changes = {{60s, core::ServerId{0}, true}};
    const QuotaRun run(servers_of({4}), {on(0, pod("a", "", 0s, 10s, 1))}, settings);
    CHECK(run.start_s("a") == 60);
}

TEST_CASE("initial state: its quota counts it", "[sim][initial][quota]") {
    // A runs four pods where its max is three, as in a cluster whose quota was lowered: a fifth
    // waits until two have ended.
    sim::Settings settings = with_quotas({quota("A", 0, 3), quota("B", 0, 8)});
    std::vector<sim::Job> jobs;
    for (int i = 0; i < 4; ++i) {
        jobs.push_back(on(0, pod("a-" + std::to_string(i), "A", 0s, 10s * (i + 1))));
    }
    jobs.push_back(pod("more", "A", 1s, 1s));
    jobs.push_back(pod("b", "B", 1s, 1s));
    const QuotaRun run(servers_of({8}), jobs, settings);
    CHECK(run.used_at("A", 0s) == 4);
    CHECK(run.start_s("b") == 1);
    CHECK(run.start_s("more") == 20);
    CHECK(run.metric("pods_finished") == 6);
}

TEST_CASE("initial state: a pod that is evicted may start elsewhere", "[sim][initial]") {
    sim::Settings settings;
    settings.node_changes = {{5s, core::ServerId{1}, false}};
    const QuotaRun run(servers_of({4, 4}), {on(1, pod("a", "", 0s, 10s, 4))}, settings);
    CHECK(run.start_s("a") == 5);
    CHECK(server_of(run.of("a")) == 0);
    CHECK(run.finish_s("a") == 15);
}
