#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "quota_runs.hpp"
#include "sim/job/members.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

/// What the files say about one member.
struct Row {
    sim::Outcome outcome;
    double start_s = -1;
    double finish_s = -1;
    double wait_s = -1;
    double run_s = -1;
    double lost_s = 0;
    std::uint32_t evictions = 0;
};

std::vector<Row> rows_of(const sim::JobRecord& record) {
    std::vector<Row> rows;
    sim::for_each_member(record, [&](const sim::Member& member) {
        CHECK(member.number == static_cast<core::Members>(rows.size()));
        Row row{member.outcome};
        row.lost_s = sim::seconds(member.past.lost);
        for (const std::uint32_t count : member.past.evictions) {
            row.evictions += count;
        }
        if (member.stint != nullptr) {
            row.start_s = sim::seconds(member.stint->start);
            row.wait_s = sim::seconds(member.waited());
            if (member.stint->finish) {
                row.finish_s = sim::seconds(*member.stint->finish);
                row.run_s = sim::seconds(member.run_time(record));
            }
        }
        rows.push_back(row);
    });
    return rows;
}

sim::Settings failing(std::vector<sim::NodeChange> changes) {
    sim::Settings settings;
    settings.node_changes = std::move(changes);
    return settings;
}

const core::ServerId first{0};
const core::ServerId second{1};

}  // namespace

TEST_CASE("members: those that never ran are dropped, and count as dropped", "[sim][members]") {
    const QuotaRun run(servers_of({1}), {group("g", "", 0s, 100s, 10, 1)}, {});
    CHECK(run.metric("pods_submitted") == 10);
    CHECK(run.metric("pods_finished") == 1);
    CHECK(run.metric("pods_dropped") == 9);
    CHECK(run.metric("success_rate") == Approx(0.1));
    const std::vector<Row> rows = rows_of(run.of("g"));
    REQUIRE(rows.size() == 10);
    CHECK(rows[0].outcome == sim::Outcome::finished);
    CHECK(rows[1].outcome == sim::Outcome::dropped);
}

TEST_CASE("members: only those with a place lose it, and work with it", "[sim][members]") {
    // Three members are wanted and one fits; its server fails at 50 s and is back at 60 s.
    const std::vector<sim::NodeChange> changes{{50s, first, false}, {60s, first, true}};
    const QuotaRun run(servers_of({1}), {group("g", "", 0s, 100s, 3, 1)}, failing(changes));
    CHECK(run.metric("pods_node_failed") == 1);
    CHECK(run.metric("work_lost_s") == 50);
    const std::vector<Row> rows = rows_of(run.of("g"));
    CHECK(rows[0].lost_s == 50);
    CHECK(rows[0].wait_s == 10);
    CHECK(rows[1].lost_s == 0);
    CHECK(rows[1].evictions == 0);
}

TEST_CASE("members: quotas count them the same way", "[sim][members][quota]") {
    sim::Settings settings = with_quotas({quota("a", 1, 1)});
    settings.node_changes = {{50s, first, false}, {60s, first, true}};
    const QuotaRun run(servers_of({4}), {group("g", "a", 0s, 100s, 3, 1)}, settings);
    CHECK(run.metric("pods_dropped") == 2);
    CHECK(run.metric("quota/a/pods_submitted") == 3);
    CHECK(run.metric("quota/a/node_failed") == 1);
    CHECK(run.metric("quota/a/lost_s") == 50);
    CHECK(run.metric("quota/a/wait_s_mean") == 10);
    CHECK(run.metric("work_lost_s") == 50);
}

TEST_CASE("members: who left in a resize keeps the number and the times", "[sim][members]") {
    // The members are 0 to 3; at 40 s one leaves, at 2001 s the server of some of the others fails.
    sim::Job job = group("g", "", 0s, 5000s, 4, 4);
    job.resizes = {{40s, 3}};
    const std::vector<sim::NodeChange> changes{{2001s, first, false}, {2002s, first, true}};
    const QuotaRun run(servers_of({2, 2}), {job}, failing(changes));
    const std::vector<Row> rows = rows_of(run.of("g"));
    REQUIRE(rows.size() == 4);
    int left = 0;
    for (const Row& row : rows) {
        CHECK(row.outcome == sim::Outcome::finished);
        if (row.finish_s == 40) {
            ++left;
            CHECK(row.start_s == 0);
            CHECK(row.wait_s == 0);
            CHECK(row.run_s == 40);
            CHECK(row.lost_s == 0);
            CHECK(row.evictions == 0);
        } else {
            CHECK(row.start_s == 2002);
            CHECK(row.wait_s == 1);
            CHECK(row.run_s == 5000);
            CHECK(row.lost_s == 2001);
            CHECK(row.evictions == 1);
        }
    }
    CHECK(left == 1);
    CHECK(run.metric("work_lost_s") == 3 * 2001);
    CHECK(run.metric("pods_submitted") == 4);
    CHECK(run.metric("wait_s_mean") == Approx(3.0 / 4));
}

TEST_CASE("members: who joined later ran, and lost, that much less", "[sim][members]") {
    sim::Job job = group("g", "", 0s, 1000s, 2, 2);
    job.resizes = {{20s, 4}};
    const std::vector<sim::NodeChange> changes{{623s, second, false}, {633s, second, true}};
    const QuotaRun run(servers_of({2, 2}), {job}, failing(changes));
    const std::vector<Row> rows = rows_of(run.of("g"));
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        CHECK(rows[i].lost_s == (i < 2 ? 623 : 603));
        CHECK(rows[i].wait_s == 10);
        CHECK(rows[i].start_s == 633);
        CHECK(rows[i].run_s == 1000);
        CHECK(rows[i].evictions == 1);
    }
    CHECK(run.metric("work_lost_s") == 2 * 623 + 2 * 603);
    CHECK(run.metric("slowdown_mean") ==
          Approx((2 * 1633.0 / 1000 + 2 * (1633.0 - 20) / 1000) / 4));
}

TEST_CASE("members: each number is one member through shrinks, growth and evictions",
          "[sim][members]") {
    sim::Job job = group("g", "", 0s, 1000s, 4, 4);
    // Members 2 and 3 leave, 4 and 5 join, and all are evicted; one more is wanted meanwhile.
    job.resizes = {{10s, 2}, {20s, 4}, {105s, 5}};
    const std::vector<sim::NodeChange> changes{{100s, first, false}, {110s, first, true}};
    const QuotaRun run(servers_of({5}), {job}, failing(changes));
    const std::vector<Row> rows = rows_of(run.of("g"));
    REQUIRE(rows.size() == 7);
    const std::vector<double> starts{110, 110, 0, 0, 110, 110, 110};
    const std::vector<double> losses{100, 100, 0, 0, 80, 80, 0};
    const std::vector<double> waits{10, 10, 0, 0, 10, 10, 110};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(i);
        CHECK(rows[i].start_s == starts[i]);
        CHECK(rows[i].lost_s == losses[i]);
        CHECK(rows[i].wait_s == waits[i]);
        CHECK(rows[i].finish_s == (i == 2 || i == 3 ? 10 : 1110));
    }
    CHECK(run.metric("pods_submitted") == 7);
}

TEST_CASE("members: whoever is not wanted any more after an eviction is dropped",
          "[sim][members]") {
    sim::Job job = group("g", "", 0s, 1000s, 4, 4);
    job.resizes = {{105s, 2}};
    SECTION("and the others go on") {
        const std::vector<sim::NodeChange> changes{{100s, first, false}, {110s, first, true}};
        const QuotaRun run(servers_of({4}), {job}, failing(changes));
        const std::vector<Row> rows = rows_of(run.of("g"));
        REQUIRE(rows.size() == 4);
        CHECK(rows[1].outcome == sim::Outcome::finished);
        CHECK(rows[2].outcome == sim::Outcome::dropped);
        CHECK(rows[3].lost_s == 100);
        CHECK(run.metric("work_lost_s") == 400);
    }
    SECTION("and the others wait") {
        const QuotaRun run(servers_of({4}), {job}, failing({{100s, first, false}}));
        const std::vector<Row> rows = rows_of(run.of("g"));
        REQUIRE(rows.size() == 4);
        CHECK(rows[1].outcome == sim::Outcome::waiting);
        CHECK(rows[2].outcome == sim::Outcome::dropped);
        CHECK(run.metric("pods_waiting") == 2);
        CHECK(run.metric("pods_dropped") == 2);
    }
}

TEST_CASE("members: what is kept of lost work is each member's own", "[sim][members]") {
    sim::Job job = group("g", "", 0s, 1000s, 1, 1);
    job.resizes = {{50s, 2}, {300s, 1}};
    sim::Settings settings = failing({{150s, first, false}, {160s, first, true}});
    settings.lost_work = 0.5;
    const QuotaRun run(servers_of({2}), {job}, settings);
    const std::vector<Row> rows = rows_of(run.of("g"));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].lost_s == 75);
    CHECK(rows[0].run_s == 1000);
    CHECK(rows[1].lost_s == 50);
    CHECK(rows[1].run_s == 50 + 140);  // half of 100 s, and from 160 s to 300 s
}
