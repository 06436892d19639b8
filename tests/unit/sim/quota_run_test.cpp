// Little runs with quotas, computed by hand: which pods are admitted, when waiting pods are told,
// in what order, and what they are told in the end.

#include <map>

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

TEST_CASE("quota run: a gang is admitted with as many members as fit", "[sim][quota]") {
    struct Row {
        core::Members min_available;
        core::Members placed;  ///< 0: the gang waits.
    };
    const Row row = GENERATE(Row{3, 4}, Row{4, 4}, Row{5, 0});
    CAPTURE(row.min_available);
    std::vector<sim::Job> jobs{group("gang", "A", 0s, 10s, 6, row.min_available)};
    sim::Settings settings = with_quotas({quota("A", 0, 4)});
    settings.until = 20s;
    const QuotaRun run(servers_of({8}), jobs, settings);
    CHECK(run.of("gang").placed == row.placed);
    CHECK(run.used_at("A", 0s) == row.placed);
    CHECK(run.start_s("gang") == (row.placed > 0 ? 0 : -1));
    CHECK(run.metric("quota/A/pods_submitted") == 6);
}

TEST_CASE("quota run: members that stayed behind ask for nothing", "[sim][quota]") {
    // A's gang of six starts with four; then B may have the other four, and no fewer.
    std::vector<sim::Job> jobs{group("gang", "A", 0s, 100s, 6, 1)};
    add_pods(jobs, pod("b", "B", 1s, 10s), 8);
    const QuotaRun run(servers_of({8}), jobs, with_quotas({quota("A", 0, 4), quota("B", 0, 8)}));
    CHECK(run.runtime_at("A", 1s) == 3);  // 8 x 4, 8 / 12 = 2.67, 5.33: A asks for 4
    CHECK(run.runtime_at("B", 1s) == 5);
    CHECK(run.used_at("B", 1s) == 4);
}

TEST_CASE("quota run: a running group grows within its quota", "[sim][quota]") {
    sim::Job gang = group("gang", "A", 0s, 100s, 2, 2);
    gang.resizes = {{10s, 4}, {20s, 7}, {30s, 6}, {40s, 1}};
    const std::vector<sim::Job> jobs{gang, pod("a", "A", 35s, 10s, 3)};
    const QuotaRun run(servers_of({10}), jobs, with_quotas({quota("A", 0, 6)}));
    CHECK(run.used_at("A", 5s) == 2);
    CHECK(run.used_at("A", 10s) == 4);
    CHECK(run.used_at("A", 20s) == 4);  // 7 would be too many
    CHECK(run.used_at("A", 30s) == 6);
    CHECK(run.of("gang").resizes_refused == 1);
    // What the group gives back wakes the waiting pod.
    CHECK(run.start_s("a") == 40);
    CHECK(run.of("gang").job.size == 1);
    CHECK(run.runtime_at("A", 50s) == 1);
}

TEST_CASE("quota run: a refused growth asks for nothing any more", "[sim][quota]") {
    // A asks for 2; B takes the other 6. A's growth to 6 would be above its runtime of 4.
    sim::Job gang = group("gang", "A", 0s, 100s, 2, 2);
    gang.resizes = {{10s, 6}};
    std::vector<sim::Job> jobs{gang};
    add_pods(jobs, pod("b", "B", 1s, 100s), 8);
    sim::Settings settings = with_quotas({quota("A", 4, 8), quota("B", 4, 8)});
    settings.until = 50s;
    const QuotaRun run(servers_of({8}), jobs, settings);
    CHECK(run.of("gang").resizes_refused == 1);
    CHECK(run.runtime_at("A", 10s) == 2);
    CHECK(run.runtime_at("B", 10s) == 6);
    CHECK(run.used_at("B", 10s) == 6);
}

TEST_CASE("quota run: a waiting gang's new size counts", "[sim][quota]") {
    // The gang is too large for its quota until it wants fewer members.
    sim::Job gang = group("gang", "A", 0s, 10s, 5, 5);
    gang.resizes = {{20s, 3}};
    const QuotaRun run(servers_of({10}), {gang}, with_quotas({quota("A", 0, 4)}));
    CHECK(run.start_s("gang") == 20);
    CHECK(run.runtime_at("A", 10s) == 4);
    CHECK(run.runtime_at("A", 20s) == 3);
}

TEST_CASE("quota run: who waits for others is told at the next refresh", "[sim][quota]") {
    // B's pod ends at 13 s, which gives A room for all ten.
    struct Row {
        sim::SimTime refresh;
        double told_s;
    };
    const Row row = GENERATE(Row{0s, 13}, Row{1s, 13}, Row{5s, 15}, Row{60s, 60});
    CAPTURE(sim::seconds(row.refresh));
    sim::Settings settings = with_quotas({quota("A", 5, 10), quota("B", 5, 10)});
    settings.quotas->refresh = row.refresh;
    std::vector<sim::Job> jobs{pod("b", "B", 0s, 13s, 5)};
    add_pods(jobs, pod("a", "A", 1s, 200s), 10);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("a-4") == 1);
    CHECK(run.start_s("a-5") == row.told_s);
    CHECK(run.start_s("a-9") == row.told_s);
}

TEST_CASE("quota run: a refresh does not come before its time", "[sim][quota]") {
    // B comes at 9 s and finds the quota above full of A's pods. At 10 s the runtimes are
    // refreshed, and then the recycler makes room, of which B is told at the next refresh.
    const sim::SimTime refresh = GENERATE(sim::SimTime(0), sim::SimTime(5s));
    sim::Settings settings =
        with_quotas({parent_quota("P", 10, 10), quota("A", 5, 10, "P"), quota("B", 5, 10, "P")});
    settings.quotas->rules.check_parents = true;
    settings.quotas->refresh = refresh;
    settings.quotas->recycler.emplace().period = 5s;
    settings.quotas->recycler->patience = 0s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    jobs.push_back(pod("b", "B", 9s, 100s, 5));
    const QuotaRun run(servers_of({20}), jobs, settings);
    CHECK(run.eviction_texts().front() == "a-5 revoked at 10");
    CHECK(run.start_s("b") == (refresh == sim::SimTime(0) ? 10 : 15));
}

TEST_CASE("quota run: a refresh comes before the recycler, or at its next tick", "[sim][quota]") {
    // As above, but B comes before the refresh at 5 s, so there is nothing to refresh at 10 s. The
    // recycler, whose patience is over then, still makes room only after the turn of the refresh.
    sim::Settings settings =
        with_quotas({parent_quota("P", 10, 10), quota("A", 5, 10, "P"), quota("B", 5, 10, "P")});
    settings.quotas->rules.check_parents = true;
    settings.quotas->refresh = 5s;
    settings.quotas->recycler.emplace().period = 5s;
    settings.quotas->recycler->patience = 5s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, 100s), 10);
    jobs.push_back(pod("b", "B", 4s, 100s, 5));
    const QuotaRun run(servers_of({20}), jobs, settings);
    CHECK(run.eviction_texts().front() == "a-5 revoked at 10");
    CHECK(run.start_s("b") == 15);
}

TEST_CASE("quota run: nobody is denied anything while nobody waits", "[sim][quota]") {
    // N keeps its min and asks P for it, so P asks for all of its own and uses nothing.
    core::ElasticQuota keeps = quota("N", 4, 10, "P");
    keeps.allow_lent_resource = false;
    sim::Settings settings = with_quotas({parent_quota("P", 4, 10), keeps, quota("A", 0, 10)});
    const QuotaRun run(servers_of({10}), {pod("a", "A", 0s, 100s)}, settings);
    CHECK(run.runtime_at("P", 0s) == 4);
    CHECK(run.metric("quota/P/min_violation_s") == 0);
    CHECK(run.metric("quota/N/min_violation_s") == 0);
    CHECK(run.metric("quota/N/units_lent_h") == 0);
}

TEST_CASE("quota run: who is tried sees the runtime as it is", "[sim][quota]") {
    // The next refresh is far away, but a pod that comes at 20 s looks for itself and wakes the
    // others.
    sim::Settings settings = with_quotas({quota("A", 5, 10), quota("B", 5, 10)});
    settings.quotas->refresh = 1h;
    std::vector<sim::Job> jobs{pod("b", "B", 0s, 13s, 5)};
    add_pods(jobs, pod("a", "A", 1s, 200s), 9);
    jobs.push_back(pod("late", "A", 20s, 200s));
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("late") == 20);
    CHECK(run.start_s("a-8") == 20);
}

TEST_CASE("quota run: the least dominant share first", "[sim][quota]") {
    // Ghodsi et al., "Dominant Resource Fairness" (NSDI 2011), section 4.1: there are 9 CPUs and 18
    // GB; A's tasks take 1 and 4, B's 3 and 1. A gets 3 tasks, B 2: 12/18 and 6/9.
    const bool drf = GENERATE(true, false);
    const bool b_first = GENERATE(true, false);
    std::vector<core::ElasticQuota> quotas{quota("A", 0, 9), quota("B", 0, 9)};
    for (core::ElasticQuota& each : quotas) {
        each.max["blocks"] = core::Quantity{18} * 1'000'000'000;
    }
    sim::Settings settings = with_quotas(quotas);
    settings.quotas->rules.limit = core::QuotaLimit::max;
    settings.until = 1s;
    settings.profile.queue = sim::queue_policy(drf ? "drf" : "fifo");
    std::vector<sim::Job> jobs;
    sim::Job a = pod("a", "A", 0s, 100s);
    a.demand = {1, 4};
    sim::Job b = pod("b", "B", 0s, 100s);
    b.demand = {3, 1};
    add_pods(jobs, b_first ? b : a, 10);
    add_pods(jobs, b_first ? a : b, 10);
    const QuotaRun run(cluster({{9, 18}}), jobs, settings);
    std::map<std::string, int> running;
    for (const sim::JobRecord& record : run.jobs) {
        running[record.job.quota] += record.outcome == sim::Outcome::running ? 1 : 0;
    }
    if (drf) {
        CHECK(running == std::map<std::string, int>{{"A", 3}, {"B", 2}});
        CHECK(run.metric("jain_dominant_share") == Approx(1));
    } else if (b_first) {
        CHECK(running == std::map<std::string, int>{{"A", 0}, {"B", 3}});
    } else {
        CHECK(running == std::map<std::string, int>{{"A", 4}, {"B", 1}});
    }
}

TEST_CASE("quota run: a share is of the cluster as it is", "[sim][quota]") {
    // A's pod takes 6 of 20 units, B's 4 of 12 blocks: 0.3 and 0.33. Without the second server,
    // which has units alone, the shares are 6 of 10 and 0.33, and B comes first.
    sim::Settings settings = with_quotas({});
    for (const char* name : {"A", "B"}) {
        core::ElasticQuota each = quota(name, 0, 20);
        each.max["blocks"] = core::Quantity{12} * 1'000'000'000;
        settings.quotas->quotas.push_back(each);
    }
    settings.quotas->rules.limit = core::QuotaLimit::max;
    settings.profile.queue = sim::queue_policy("drf");
    const bool fails = GENERATE(false, true);
    if (fails) {
        settings.node_changes = {{5s, core::ServerId{1}, false}};
    }
    const auto demanding = [](const char* name,
                              const char* quota,
                              sim::SimTime at,
                              core::Amount units,
                              core::Amount blocks,
                              sim::SimTime lifetime) {
        sim::Job job = pod(name, quota, at, lifetime);
        job.demand = {units, blocks};
        return job;
    };
    const std::vector<sim::Job> jobs{demanding("a", "A", 0s, 6, 0, 100s),
                                     demanding("b", "B", 0s, 0, 4, 100s),
                                     demanding("rest", "", 1s, 0, 8, 10s),
                                     demanding("next-a", "A", 3s, 0, 8, 10s),
                                     demanding("next-b", "B", 3s, 0, 8, 10s)};
    const QuotaRun run(cluster({{10, 12}, {10, 0}}), jobs, settings);
    CHECK(run.start_s(fails ? "next-b" : "next-a") == 11);
    CHECK(run.start_s(fails ? "next-a" : "next-b") == 21);
}

TEST_CASE("quota run: two of three waiting pods are told who is in the way", "[sim][quota]") {
    struct Row {
        std::string what;
        sim::Settings settings;
        std::vector<sim::Job> jobs;
        std::string reason;  ///< The reason of the last job.
    };
    sim::Settings by_max = with_quotas({quota("A", 0, 4)});
    by_max.quotas->rules.limit = core::QuotaLimit::max;
    sim::Settings by_min = with_quotas({quota("A", 2, 4)});
    by_min.quotas->rules.limit = core::QuotaLimit::min;
    sim::Settings parents =
        with_quotas({parent_quota("P", 0, 6), quota("A", 0, 6, "P"), quota("B", 0, 6, "P")});
    parents.quotas->rules.check_parents = true;
    parents.quotas->rules.limit = core::QuotaLimit::max;
    sim::Job fixed = pod("w", "A", 1s, 1s, 2);
    fixed.preemptible = false;
    // B's gang is on both servers.
    const std::vector<sim::Job> three_pods{
        group("b", "B", 0s, 99s, 8, 8), pod("a", "A", 1s, 99s, 2), pod("w", "A", 1s, 1s, 5)};
    sim::Settings default_max = with_quotas({});
    default_max.quotas->default_group_max = units(3);
    const std::vector<Row> rows{
        {"its own max",
         with_quotas({quota("A", 0, 4)}),
         {pod("a", "A", 0s, 9s, 3), pod("w", "A", 1s, 1s, 2)},
         "quota A: 3 used + 2 requested > runtime 4 of units; held back by the max of A, 4."},
        {"its parent's max",
         with_quotas({parent_quota("P", 0, 4), quota("A", 0, 9, "P")}),
         {pod("a", "A", 0s, 9s, 3), pod("w", "A", 1s, 1s, 2)},
         "quota A: 3 used + 2 requested > runtime 4 of units; held back by the max of P, 4."},
        {"its siblings, of which one uses more than it is owed",
         with_quotas({quota("A", 5, 10), quota("B", 5, 10)}),
         three_pods,
         "quota A: 2 used + 5 requested > runtime 5 of units; held back at A: its siblings and it "
         "ask for 15 units of 10; B uses 3 units above its runtime of 5."},
        {"the siblings of its parent",
         with_quotas({parent_quota("P", 5, 10), quota("A", 5, 10, "P"), quota("B", 5, 10)}),
         three_pods,
         "quota A: 2 used + 5 requested > runtime 5 of units; held back at P: its siblings and it "
         "ask for 15 units of 10; B uses 3 units above its runtime of 5."},
        {"a max, not elastic",
         by_max,
         {pod("a", "A", 0s, 9s, 3), pod("w", "A", 1s, 1s, 2)},
         "quota A: 3 used + 2 requested > max 4 of units."},
        {"a min, not elastic",
         by_min,
         {pod("a", "A", 0s, 9s, 2), pod("w", "A", 1s, 1s, 1)},
         "quota A: 2 used + 1 requested > min 2 of units."},
        {"what may not be preempted",
         with_quotas({quota("A", 1, 4)}),
         {fixed},
         "quota A: 0 non-preemptible used + 2 requested > min 1 of units."},
        {"the quota above, which it must fit too",
         parents,
         {pod("b", "B", 0s, 99s, 5), pod("w", "A", 1s, 1s, 2)},
         "quota P: 5 used + 2 requested > max 6 of units."},
        {"the default group's max",
         default_max,
         {pod("x", "", 0s, 9s, 2), pod("w", "", 1s, 1s, 2)},
         "quota koordinator-default-quota: 2 used + 2 requested > max 3 of units."},
        {"no room: the quota is not the reason",
         with_quotas({quota("A", 0, 100)}),
         {pod("a", "A", 0s, 9s, 4), pod("b", "A", 0s, 9s, 4), pod("w", "A", 1s, 1s, 2)},
         "0/2 nodes are available: 2 Insufficient units."},
    };
    for (Row row : rows) {
        CAPTURE(row.what);
        row.settings.until = 5s;
        const QuotaRun run(servers_of({5, 5}), row.jobs, row.settings);
        CHECK(run.of("w").outcome == sim::Outcome::waiting);
        CHECK(run.of("w").reason == row.reason);
    }
}

TEST_CASE("quota run: a quota without a weight is told so", "[sim][quota]") {
    // The quota gets its min and no more, though all 10 are free; weights that are all 0 would mean
    // max.
    core::ElasticQuota weightless = quota("A", 1, 4);
    weightless.max["blocks"] = weightless.max["units"];
    weightless.shared_weight = {{"units", 0}, {"blocks", 1'000'000'000}};
    sim::Settings settings = with_quotas({weightless});
    settings.until = 5s;
    sim::Job job = pod("w", "A", 0s, 1s);
    job.demand = {2, 0};
    const QuotaRun run(cluster({{10, 10}}), {job}, settings);
    CHECK(
        run.of("w").reason ==
        "quota A: 0 used + 2 requested > runtime 1 of units; held back at A: its shared weight is "
        "0.");
}

TEST_CASE("quota run: with retry never a pod over its quota is dropped", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 0, 4)});
    settings.retry = false;
    const QuotaRun run(servers_of({10}),
                       {pod("a", "A", 0s, 9s, 3), pod("b", "A", 1s, 1s, 2), pod("c", "A", 2s, 1s)},
                       settings);
    CHECK(run.of("b").outcome == sim::Outcome::dropped);
    CHECK(run.of("b").reason ==
          "quota A: 3 used + 2 requested > runtime 4 of units; held back by the max of A, 4.");
    // The dropped pod asks for nothing any more.
    CHECK(run.runtime_at("A", 1s) == 3);
    CHECK(run.start_s("c") == 2);
}

TEST_CASE("quota run: a pod that names no quota that is known", "[sim][quota]") {
    core::ElasticQuota bound = quota("bound", 0, 10);
    bound.namespaces = {"lab"};
    core::ElasticQuota own = quota("own", 0, 10);
    own.object_namespace = "own";
    sim::Job by_annotation = pod("by-annotation", "", 0s, 1s);
    by_annotation.name_space = "lab";
    sim::Job by_name = pod("by-name", "", 0s, 1s);
    by_name.name_space = "own";
    sim::Job elsewhere = pod("elsewhere", "", 0s, 1s);
    elsewhere.name_space = "nowhere";
    const QuotaRun run(servers_of({10}),
                       {by_annotation, by_name, elsewhere, pod("unknown", "x", 0s, 1s)},
                       with_quotas({bound, own}));
    CHECK(run.of("by-annotation").job.quota == "bound");
    CHECK(run.of("by-name").job.quota == "own");
    CHECK(run.of("elsewhere").job.quota == "koordinator-default-quota");
    CHECK(run.of("unknown").job.quota == "koordinator-default-quota");
}

TEST_CASE("quota run: the metrics are of quotas, not of the root", "[sim][quota]") {
    // There is only the default group, so there is nothing to be fair among.
    sim::Settings settings = with_quotas({});
    settings.node_changes = {{3s, core::ServerId{1}, false}, {4s, core::ServerId{1}, true}};
    const QuotaRun run(servers_of({10, 10}), {pod("a", "", 0s, 9s, 3)}, settings);
    CHECK_FALSE(run.has_metric("jain_dominant_share"));
    CHECK_FALSE(run.has_metric("jain_satisfaction"));
    CHECK(run.metric("min_violation_s") == 0);
}

TEST_CASE("quota run: what is in use from the start is the system's", "[sim][quota]") {
    sim::Settings settings = with_quotas({quota("A", 0, 100)});
    settings.until = 10s;
    std::vector<sim::Job> jobs;
    add_pods(jobs, pod("a", "A", 0s, std::nullopt), 20);
    const QuotaRun run(servers_of({10}), jobs, settings, {{0, 4}});
    CHECK(run.runtime_at("A", 0s) == 6);
    CHECK(run.used_at("A", 0s) == 6);
    CHECK(run.used_at("koordinator-system-quota", 0s) == 4);
}

TEST_CASE("quota run: a group that is admitted in part waits for its other members",
          "[sim][quota]") {
    // The group wants to be on three servers. While B has its ten units, A admits two members,
    // which have no possible place at any time; from 10 s on it admits all three.
    sim::Settings settings = with_quotas({quota("A", 2, 3), quota("B", 10, 12)});
    settings.profile.queue = sim::queue_policy("conservative-backfill");
    settings.profile.solver = sim::Solver::exact;
    sim::Job wide = group("wide", "A", 1s, 10s, 3, 2);
    core::LevelConstraint three;
    three.partitions = 3;
    wide.constraints->set(core::Level{1}, three);
    const QuotaRun run(servers_of({4, 4, 4}),
                       {pod("b-0", "B", 0s, 10s, 4),
                        pod("b-1", "B", 0s, 10s, 4),
                        pod("b-2", "B", 0s, 10s, 2),
                        wide},
                       settings);
    CHECK(run.start_s("wide") == 10);
    CHECK(run.of("wide").placed == 3);
}
