// Little runs, computed by hand: whether what is lent comes back, when, and at what price.

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

sim::Settings recycling(std::vector<core::ElasticQuota> quotas, sim::SimTime patience) {
    sim::Settings settings = with_quotas(std::move(quotas));
    settings.quotas->recycler.emplace().patience = patience;
    return settings;
}

/// Ten units, of which A and B are promised five each. A's ten pods of 100 s come at 0 s, B's ten
/// of 50 s at 20 s.
QuotaRun lend_and_take_back(double lost_work,
                            sim::SimTime period = 1s,
                            sim::SimTime patience = 3s) {
    sim::Settings settings = recycling({quota("A", 5, 10), quota("B", 5, 10)}, patience);
    settings.quotas->recycler->period = period;
    settings.lost_work = lost_work;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    add_pods(jobs, pod("b", "B", 20s, 50s), 10);
    return QuotaRun(servers_of({10}), jobs, settings);
}

}  // namespace

TEST_CASE("recycler: what was lent comes back when the patience is exceeded", "[sim][quota]") {
    const QuotaRun run = lend_and_take_back(1);
    CHECK(run.runtime_at("A", 19s) == 10);
    CHECK(run.runtime_at("A", 20s) == 5);
    CHECK(run.runtime_at("B", 20s) == 5);
    CHECK(run.used_at("A", 22s) == 10);
    // A was last seen not over its runtime at 19 s; at 22 s that is 3 s ago, which is not longer
    // than 3 s.
    CHECK(run.eviction_texts() == Texts{"a-5 revoked at 23",
                                        "a-6 revoked at 23",
                                        "a-7 revoked at 23",
                                        "a-8 revoked at 23",
                                        "a-9 revoked at 23"});
    CHECK(run.used_at("A", 23s) == 5);
    CHECK(run.used_at("B", 23s) == 5);
    CHECK(run.start_s("b-0") == 23);
    CHECK(run.start_s("b-4") == 23);
    // The other pods follow in turn: B's at 23 + 50, and A's when A's first five are done.
    CHECK(run.start_s("b-5") == 73);
    CHECK(run.start_s("a-5") == 100);
    CHECK(run.finish_s("a-4") == 100);
}

TEST_CASE("recycler: the metrics of lending, by hand", "[sim][quota]") {
    const QuotaRun run = lend_and_take_back(1);
    CHECK(run.result.end == 200s);
    CHECK(run.metric("quota/A/revoked") == 5);
    CHECK(run.metric("quota/B/revoked") == 0);
    CHECK(run.metric("pods_revoked") == 5);
    CHECK(run.metric("quota/A/lost_s") == 5 * 23);
    CHECK(run.metric("work_lost_s") == 5 * 23);
    // B asks for ten, is promised five and has none from 20 s to 23 s; A is over its runtime
    // meanwhile.
    CHECK(run.metric("quota/B/min_violation_s") == 3);
    CHECK(run.metric("quota/A/min_violation_s") == 0);
    CHECK(run.metric("min_violation_s") == 3);
    CHECK(run.metric("quota/A/over_use_s") == 3);
    CHECK(run.metric("quota/B/over_use_s") == 0);
    CHECK(run.metric("over_use_s") == 3);
    // A uses five above its min for 23 s. B leaves five of its min for 20 s, and from 123 s on.
    CHECK(run.metric("quota/A/units_borrowed_h") == Approx(5 * 23 / 3600.0));
    CHECK(run.metric("quota/B/units_borrowed_h") == 0);
    CHECK(run.metric("quota/B/units_lent_h") == Approx((5 * 20 + 5 * 77) / 3600.0));
    CHECK(run.metric("quota/A/units_lent_h") == 0);
    const double a = (1.0 * 23 + 0.5 * 177) / 200;
    const double b = 0.5 * 100 / 200;
    CHECK(run.metric("quota/A/dominant_share") == Approx(a));
    CHECK(run.metric("quota/B/dominant_share") == Approx(b));
    CHECK(run.metric("jain_dominant_share") == Approx((a + b) * (a + b) / (2 * (a * a + b * b))));
    // The satisfaction is relative to the requests: A asks for all until 100 s, then for half; B
    // asks for all from 20 s to 73 s, then for half until 123 s.
    const double of_a = a / ((1.0 * 100 + 0.5 * 100) / 200);
    const double of_b = b / ((1.0 * 53 + 0.5 * 50) / 200);
    CHECK(run.metric("jain_satisfaction") ==
          Approx((of_a + of_b) * (of_a + of_b) / (2 * (of_a * of_a + of_b * of_b))));
    CHECK(run.metric("quota/B/wait_s_mean") == Approx((5 * 3 + 5 * 53) / 10.0));
    CHECK(run.metric("quota/B/wait_s_max") == 53);
    // Five of A's pods did not wait; five waited from 23 s, when they were evicted, to 100 s.
    CHECK(run.metric("quota/A/wait_s_mean") == Approx(5 * 77 / 10.0));
    CHECK(run.metric("quota/A/pods_submitted") == 10);
}

TEST_CASE("recycler: an evicted pod loses its share of work, and no more", "[sim][quota]") {
    struct Row {
        double lost_work;
        double lost_s;
        double finish_s;
    };
    // a-9 ran for 23 of 100 s and starts again at 100 s.
    const Row row = GENERATE(Row{0, 0, 177}, Row{0.5, 11.5, 188.5}, Row{1, 23, 200});
    CAPTURE(row.lost_work);
    const QuotaRun run = lend_and_take_back(row.lost_work);
    CHECK(run.finish_s("a-9") == row.finish_s);
    CHECK(run.metric("work_lost_s") == Approx(5 * row.lost_s));
    const sim::JobRecord& record = run.of("a-9");
    CHECK(sim::seconds(record.lost) == row.lost_s);
    CHECK(record.ran_before == 23s);
    CHECK(record.waited() == 77s);
    CHECK(record.evictions == sim::EvictionCounts{1, 0, 0, 0});
    CHECK(record.outcome == sim::Outcome::finished);
    CHECK(run.of("a-0").evictions == sim::EvictionCounts{});
}

TEST_CASE("recycler: it looks at the multiples of its period", "[sim][quota]") {
    // With a period of 7 s, A is not over at 14 s but is at 21 s; 21 - 14 is more than 3 s.
    CHECK(lend_and_take_back(1, 7s, 3s).eviction_texts().front() == "a-5 revoked at 21");
    // 21 - 14 is not more than 7 s; 28 - 14 is.
    CHECK(lend_and_take_back(1, 7s, 7s).eviction_texts().front() == "a-5 revoked at 28");
    // Without patience, the first look that sees A over takes back at once.
    CHECK(lend_and_take_back(1, 1s, 0s).eviction_texts().front() == "a-5 revoked at 20");
}

TEST_CASE("recycler: at one instant it looks before a cycle, or at its next tick", "[sim][quota]") {
    // Pods of the default group start at the cycle of 10 s and leave A 7 of its 8, beside the min
    // that B keeps. The recycler's tick of 10 s came before, and saw A not over.
    core::ElasticQuota keeps = quota("B", 4, 10);
    keeps.allow_lent_resource = false;
    sim::Settings settings = recycling({quota("A", 5, 10), keeps}, 4s);
    settings.quotas->recycler->period = 2s;
    settings.period = 10s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 8);
    add_pods(jobs, pod("c", "", 5s, 100s), 9);
    const QuotaRun run(servers_of({20}), jobs, settings);
    CHECK(run.start_s("c-0") == 10);
    CHECK(run.eviction_texts() == Texts{"a-7 revoked at 16"});
}

TEST_CASE("recycler: a quota that is over again has all its patience again", "[sim][quota]") {
    sim::Settings settings = recycling({quota("A", 2, 10), quota("B", 5, 10)}, 3s);
    // At 24 s A's max falls to 3; A's patience counts from the eviction at 23 s.
    sim::QuotaPatch patch{"A", {}, units(3), {}, {}, {}};
    settings.quotas->changes = {{24s, patch}};
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    add_pods(jobs, pod("b", "B", 20s, 50s, 5), 1);
    const QuotaRun run(servers_of({10}), jobs, settings);
    const Texts texts = run.eviction_texts();
    REQUIRE(texts.size() == 7);
    CHECK(texts[4] == "a-9 revoked at 23");
    CHECK(texts[5] == "a-3 revoked at 27");
    CHECK(texts[6] == "a-4 revoked at 27");
}

TEST_CASE("recycler: the least important first, groups as a whole", "[sim][quota]") {
    // Twelve units are in use when B asks for its six.
    sim::Settings settings = recycling({quota("A", 6, 12), quota("B", 6, 12)}, 2s);
    std::vector<sim::Job> jobs;
    sim::Job important = pod("important", "A", 0s, 100s, 3);
    important.priority = 9;
    jobs.push_back(important);
    sim::Job stays = pod("stays", "A", 0s, 100s, 2);
    stays.preemptible = false;
    jobs.push_back(stays);
    jobs.push_back(pod("small", "A", 1s, 100s, 1));
    jobs.push_back(group("gang", "A", 2s, 100s, 3, 3));
    jobs.push_back(pod("late", "A", 3s, 100s, 3));
    jobs.push_back(pod("b", "B", 10s, 10s, 6));
    const QuotaRun run(servers_of({12}), jobs, settings);
    // Taking late (12 - 3) and then the whole gang (6) is enough.
    CHECK(run.eviction_texts() == Texts{"gang revoked at 12", "late revoked at 12"});
    CHECK(run.metric("quota/A/revoked") == 3 + 1);  // pods
    CHECK(run.metric("quota/A/lost_s") == 3 * 10 + 9);
    CHECK(run.start_s("b") == 12);
    CHECK(run.start_s("gang") == 22);
    CHECK(run.of("gang").placed == 3);
    CHECK(run.of("small").ran_before == 0s);
}

TEST_CASE("recycler: a use that nobody may take ends no run", "[sim][quota]") {
    // Half the cluster fails: A's min becomes 2 of the 5 that are left, and its pods can neither be
    // preempted nor end.
    sim::Settings settings = recycling({quota("A", 5, 10), quota("B", 5, 10)}, 3s);
    settings.node_changes = {{10s, core::ServerId{1}, false}};
    settings.sample_every = GENERATE(sim::SimTime(0), sim::SimTime(1s));
    std::vector<sim::Job> jobs;
    sim::Job a = pod("a", "A", 0s, std::nullopt);
    a.preemptible = false;
    add_pods(jobs, a, 5);
    add_pods(jobs, pod("b", "B", 11s, 10s), 5);
    const QuotaRun run(servers_of({5, 5}), jobs, settings);
    CHECK(run.used_at("A", 20s) == 5);
    CHECK(run.runtime_at("A", 20s) < 5);
    CHECK(run.evictions.empty());
    CHECK(run.result.events < 200);
    CHECK(run.result.end < 60s);
    CHECK(run.of("a-0").outcome == sim::Outcome::running);
    CHECK(run.of("b-0").outcome == sim::Outcome::waiting);
}

TEST_CASE("recycler: a use that nobody could take keeps its patience", "[sim][quota]") {
    // As before, but A is last seen not over at 9 s, and is due each time its patience ends: at 13,
    // 17 and 21 s, at first in vain. At 18.5 s A takes over a pod that may be preempted.
    sim::Settings settings = recycling({quota("A", 4, 10), quota("B", 5, 10)}, 3s);
    settings.node_changes = {{10s, core::ServerId{1}, false}};
    core::ElasticQuota bound = quota("A", 4, 10);
    bound.namespaces = {"space"};
    settings.quotas->changes = {{18500ms, sim::QuotaChange::Update{bound}}};
    settings.until = 40s;
    std::vector<sim::Job> jobs;
    sim::Job fixed = pod("a", "A", 0s, std::nullopt);
    fixed.preemptible = false;
    add_pods(jobs, fixed, 4);
    sim::Job moves = pod("moves", "", 0s, std::nullopt);
    moves.name_space = "space";
    jobs.push_back(moves);
    add_pods(jobs, pod("b", "B", 10s, 10s), 5);
    const QuotaRun run(servers_of({5, 5}), jobs, settings);
    CHECK(run.used_at("A", 18s) == 4);
    CHECK(run.used_at("A", 19s) == 5);
    CHECK(run.eviction_texts() == Texts{"moves revoked at 21"});
}

TEST_CASE("recycler: it looks again when a pod that asks for nothing has gone", "[sim][quota]") {
    // By the published rule nothing more is looked at once this pod is taken, so the recycler looks
    // in vain at 23 and 27 s, while the pod runs.
    sim::Settings settings = recycling({quota("A", 5, 10), quota("B", 5, 10)}, 3s);
    settings.quotas->recycler->rules = core::RevokeRules::published;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    jobs.push_back(pod("nothing", "A", 1s, 29s, 0));
    add_pods(jobs, pod("b", "B", 20s, 50s), 5);
    const QuotaRun run(servers_of({10}), jobs, settings);
    REQUIRE(run.evictions.size() == 5);
    CHECK(run.eviction_texts().front() == "a-5 revoked at 31");
}

TEST_CASE("recycler: with samples, pods without end and an over-use, a run ends", "[sim][quota]") {
    sim::Settings settings = recycling({quota("A", 5, 10), quota("B", 5, 10)}, 3s);
    settings.sample_every = 1s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, std::nullopt), 10);
    add_pods(jobs, pod("b", "B", 20s, std::nullopt), 10);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.metric("pods_revoked") == 5);
    CHECK(run.result.end < 60s);
}

TEST_CASE("recycler: documented against published", "[sim][quota]") {
    // A uses 6 units and 8 blocks when B comes and leaves it 5 and 5. The least important pod has
    // units alone: once it is taken, the published rule looks at units only, and forgets the
    // blocks.
    const auto rules = GENERATE(core::RevokeRules::documented, core::RevokeRules::published);
    std::vector<core::ElasticQuota> quotas{quota("A", 5, 10), quota("B", 5, 10)};
    for (core::ElasticQuota& each : quotas) {
        each.min["blocks"] = each.min["units"];
        each.max["blocks"] = each.max["units"];
    }
    sim::Settings settings = recycling(quotas, 3s);
    settings.quotas->recycler->rules = rules;
    settings.until = 24s;
    std::vector<sim::Job> jobs;
    sim::Job of_blocks = pod("blocks", "A", 0s, 100s);
    of_blocks.demand = {1, 4};
    add_pods(jobs, of_blocks, 2);
    sim::Job of_units = pod("units", "A", 1s, 100s);
    of_units.demand = {4, 0};
    jobs.push_back(of_units);
    sim::Job b = pod("b", "B", 20s, 50s);
    b.demand = {5, 5};
    jobs.push_back(b);
    const QuotaRun run(cluster({{10, 10}}), jobs, settings);
    if (rules == core::RevokeRules::published) {
        CHECK(run.eviction_texts() == Texts{"units revoked at 23"});
    } else {
        // With both pods taken A uses 1 unit, so the pod of 4 units is spared after all: 1 + 4.
        CHECK(run.eviction_texts() == Texts{"blocks-1 revoked at 23"});
    }
}

TEST_CASE("recycler: a failed server's background no longer counts", "[sim][quota]") {
    // Two servers of ten, with two units in use on each from outside: there are 16 to distribute,
    // and 8 once a server fails.
    sim::Settings settings = with_quotas({quota("A", 0, 100)});
    settings.node_changes = {{10s, core::ServerId{1}, false}, {20s, core::ServerId{1}, true}};
    settings.until = 30s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, std::nullopt), 20);
    const QuotaRun run(servers_of({10, 10}), jobs, settings, {{0, 2}, {1, 2}});
    CHECK(run.runtime_at("A", 0s) == 16);
    CHECK(run.runtime_at("A", 10s) == 8);
    CHECK(run.used_at("A", 10s) == 8);
    CHECK(run.runtime_at("A", 20s) == 16);
    CHECK(run.used_at("A", 20s) == 16);
}

TEST_CASE("recycler: a failed server scales min, and takes whole groups along", "[sim][quota]") {
    // Three servers of four; A is promised 8, B 4. Without one server 8 are left: 8 x 8 / 12 = 5
    // for A, 8 x 4 / 12 = 2 for B, and the 1 that is left goes to A by weight.
    sim::Settings settings = recycling({quota("A", 8, 8), quota("B", 4, 4)}, 2s);
    settings.node_changes = {{10s, core::ServerId{0}, false}, {30s, core::ServerId{0}, true}};
    settings.lost_work = 0;
    std::vector<sim::Job> jobs{group("gang", "A", 0s, 50s, 6, 6)};
    add_pods(jobs, pod("a", "A", 1s, 50s), 2);
    add_pods(jobs, pod("b", "B", 2s, 50s), 4);
    const QuotaRun run(servers_of({4, 4, 4}), jobs, settings);
    CHECK(run.runtime_at("A", 9s) == 8);
    CHECK(run.runtime_at("A", 10s) == 6);
    CHECK(run.runtime_at("B", 10s) == 2);
    // A part of the gang was on the failed server. B's two excess pods go after 2 s. A then has
    // room for six of its eight, which is not enough for the gang beside the two pods that run.
    CHECK(run.eviction_texts() ==
          Texts{"gang node_failed at 10", "b-2 revoked at 12", "b-3 revoked at 12"});
    CHECK(run.metric("quota/A/node_failed") == 6);
    CHECK(run.runtime_at("A", 30s) == 8);
    CHECK(run.start_s("gang") == 30);
    CHECK(run.start_s("b-2") == 30);
    CHECK(run.finish_s("gang") == 30 + 50 - 10);
    CHECK(run.finish_s("b-3") == 30 + 50 - 10);
}

TEST_CASE("recycler: a server that is added gives its amounts to share", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 1, 20), quota("B", 1, 20)});
    settings.absent = {core::ServerId{1}};
    settings.node_changes = {{10s, core::ServerId{1}, true}};
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    add_pods(jobs, pod("b", "B", 0s, 100s), 10);
    const QuotaRun run(servers_of({4, 8}), jobs, settings);
    CHECK(run.runtime_at("A", 9s) == 2);
    CHECK(run.used_at("A", 9s) == 2);
    CHECK(run.runtime_at("A", 10s) == 6);
    CHECK(run.used_at("A", 10s) == 6);
    CHECK(run.used_at("B", 10s) == 6);
}
