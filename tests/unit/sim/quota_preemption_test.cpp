// Preemption inside a quota, in little runs.

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

sim::Settings preempting(std::vector<core::ElasticQuota> quotas) {
    sim::Settings settings = with_quotas(std::move(quotas));
    settings.quotas->preemption.emplace();
    return settings;
}

sim::Job ranked(sim::Job job, std::int32_t priority) {
    job.priority = priority;
    return job;
}

sim::Job fixed(sim::Job job) {
    job.preemptible = false;
    return job;
}

}  // namespace

TEST_CASE("preemption: the least important pod of the quota makes room", "[sim][quota]") {
    // The quota is full with four pods; there is room on the server beside them.
    std::vector<sim::Job> jobs{ranked(pod("mid", "A", 0s, 100s), 5),
                               ranked(pod("low", "A", 0s, 100s), 1),
                               ranked(pod("low-late", "A", 1s, 100s), 1),
                               ranked(pod("top", "A", 0s, 100s), 9),
                               ranked(pod("high", "A", 10s, 10s), 7)};
    sim::Settings settings = preempting({quota("A", 0, 4)});
    settings.lost_work = 0.5;
    const QuotaRun run(servers_of({8}), jobs, settings);
    CHECK(run.eviction_texts() == Texts{"low-late preempted at 10"});
    CHECK(run.start_s("high") == 10);
    const sim::JobRecord& victim = run.of("low-late");
    CHECK(victim.outcome == sim::Outcome::finished);
    CHECK(run.start_s("low-late") == 20);  // when the pod that it made room for is done
    CHECK(run.finish_s("low-late") == 20 + 100 - 9 * 0.5);
    CHECK(run.metric("quota/A/preempted") == 1);
    CHECK(run.metric("quota/A/revoked") == 0);
    CHECK(run.metric("pods_preempted") == 1);
    CHECK(run.metric("quota/A/lost_s") == 4.5);
}

TEST_CASE("preemption: who may not be taken", "[sim][quota]") {
    struct Row {
        std::string what;
        std::vector<sim::Job> running;  ///< Together they use eight units, which is all there is.
        sim::Job preemptor;
    };
    const sim::Job high = ranked(pod("high", "A", 10s, 10s, 2), 9);
    const std::vector<Row> rows{
        {"of equal priority", {ranked(pod("a", "A", 0s, 100s, 8), 9)}, high},
        {"not preemptible", {fixed(pod("a", "A", 0s, 100s, 8))}, high},
        {"of another quota", {ranked(pod("b", "B", 0s, 100s, 8), -5)}, high},
        {"of the default group",
         {ranked(pod("nobody", "", 0s, 100s, 8), -5)},
         ranked(pod("high", "", 10s, 10s, 2), 9)},
        {"a group", {group("gang", "A", 0s, 100s, 8, 8)}, high},
        {"for a group",
         {pod("a", "A", 0s, 100s, 8)},
         ranked(group("high", "A", 10s, 10s, 2, 2), 9)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        jobs.push_back(row.preemptor);
        const QuotaRun run(servers_of({8}), jobs, preempting({quota("A", 8, 8), quota("B", 8, 8)}));
        CHECK(run.evictions.empty());
        CHECK(run.start_s("high") == 100);
    }
}

TEST_CASE("preemption: in the default group if one says so", "[sim][quota]") {
    sim::Settings settings = preempting({quota("A", 8, 8)});
    settings.quotas->preemption->default_group = true;
    const QuotaRun run(
        servers_of({8}),
        {pod("low", "unknown", 0s, 100s, 8), ranked(pod("high", "", 10s, 10s, 2), 9)},
        settings);
    CHECK(run.eviction_texts() == Texts{"low preempted at 10"});
}

TEST_CASE("preemption: nobody is taken in vain", "[sim][quota]") {
    struct Row {
        std::string what;
        sim::Job preemptor;
        std::vector<core::ElasticQuota> quotas;
        std::vector<sim::Job> running;
    };
    const std::vector<Row> rows{
        {"more than the quota may ever use",
         ranked(pod("high", "A", 10s, 10s, 5), 9),
         {quota("A", 4, 4)},
         {pod("a", "A", 0s, 100s, 4)}},
        {"more than a server has, with all of them gone",
         ranked(pod("high", "A", 10s, 10s, 9), 9),
         {quota("A", 16, 16)},
         {pod("a", "A", 0s, 100s, 8), pod("b", "A", 0s, 100s, 8)}},
        {"over min with its own kind, which may not be taken",
         fixed(ranked(pod("high", "A", 10s, 10s, 2), 9)),
         {quota("A", 2, 8)},
         {fixed(pod("a", "A", 0s, 100s, 2)), pod("b", "A", 0s, 100s, 6)}},
        {"one server's pods are not enough for the quota",
         ranked(pod("high", "A", 10s, 10s, 8), 9),
         {quota("A", 8, 8)},
         {pod("a", "A", 0s, 100s, 5), pod("b", "A", 0s, 100s, 3)}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        // There are two servers, so a job may have one of its own as far as its quota allows.
        jobs.push_back(row.preemptor);
        sim::Settings settings = preempting(row.quotas);
        settings.until = 50s;
        const bool two = row.what.starts_with("one server");
        const QuotaRun run(servers_of({two ? 5 : 8, 8}), jobs, settings);
        CHECK(run.evictions.empty());
        CHECK(run.of("high").outcome == sim::Outcome::waiting);
    }
}

TEST_CASE("preemption: for room, only what is in the way goes", "[sim][quota]") {
    // Server 0 has low pods of 3 and 1, server 1 has one pod of 4 with a higher priority. The
    // newcomer wants 3 and gets server 0, where the lowest victim is; the pod of 1 is spared.
    const std::vector<sim::Job> jobs{ranked(pod("three", "A", 0s, 100s, 3), 1),
                                     ranked(pod("one", "A", 0s, 100s, 1), 2),
                                     ranked(pod("four", "A", 0s, 100s, 4), 3),
                                     ranked(pod("high", "A", 10s, 10s, 3), 9)};
    const QuotaRun run(servers_of({4, 4}), jobs, preempting({quota("A", 0, 100)}));
    CHECK(run.eviction_texts() == Texts{"three preempted at 10"});
    CHECK(run.of("high").stints.front().server == core::ServerId{0});
}

TEST_CASE("preemption: what a group gives back as it shrinks may be enough with a victim",
          "[sim][quota]") {
    sim::Job gang = group("gang", "B", 0s, 100s, 4, 4);
    gang.resizes = {{20s, 2}};
    const std::vector<sim::Job> jobs{gang,
                                     pod("other", "B", 0s, 100s, 2),
                                     ranked(pod("low", "A", 1s, 100s, 2), 1),
                                     ranked(pod("high", "A", 10s, 10s, 4), 9)};
    const QuotaRun run(servers_of({8}), jobs, preempting({quota("A", 0, 8), quota("B", 0, 8)}));
    CHECK(run.start_s("high") == 20);
    CHECK(run.eviction_texts() == Texts{"low preempted at 20"});
}

TEST_CASE("preemption: a limit of an application counts", "[sim][quota]") {
    // Two servers of four. On the first, a pod of the application, beside a less important pod,
    // leaves no place for another pod of the application. The second server is full with a pod that
    // is more important than both.
    struct Row {
        std::string what;
        bool in_quota;  ///< Whether the pod of the application may be preempted.
        std::vector<std::string> evictions;
        double start_s;
    };
    const Row row = GENERATE(Row{"it stays", false, {"full preempted at 10"}, 10},
                             Row{"it goes", true, {"web preempted at 10"}, 10});
    CAPTURE(row.what);
    const auto limited = [](sim::Job job) {
        job.application = "web";
        job.per_server_max = 1;
        return job;
    };
    sim::Settings settings = preempting({quota("A", 0, 20), quota("B", 0, 20)});
    settings.quotas->rules.limit = core::QuotaLimit::max;
    const QuotaRun run(servers_of({4, 4}),
                       {ranked(limited(pod("web", row.in_quota ? "A" : "B", 0s, 100s, 1)), 2),
                        ranked(pod("small", "A", 0s, 100s, 3), 1),
                        ranked(pod("full", "A", 0s, 100s, 4), 3),
                        ranked(limited(pod("high", "A", 10s, 10s, 1)), 9)},
                       settings);
    CHECK(run.eviction_texts() == row.evictions);
    CHECK(run.start_s("high") == row.start_s);
    CHECK(run.of("high").stints.front().server == core::ServerId{row.in_quota ? 0U : 1U});
}

TEST_CASE("preemption: what it leaves is for the first in the queue", "[sim][quota]") {
    // All three come at 10 s to a full server: B's pod of two finds no room, A's pod preempts and
    // leaves two, and the last pod, which asks for one, comes after both.
    sim::Settings settings = preempting({quota("A", 0, 8), quota("B", 0, 8)});
    settings.quotas->rules.limit = core::QuotaLimit::max;
    const QuotaRun run(servers_of({4}),
                       {pod("low", "A", 0s, 100s, 4),
                        pod("b", "B", 10s, 20s, 2),
                        ranked(pod("high", "A", 10s, 30s, 2), 9),
                        pod("last", "B", 10s, 100s, 1)},
                       settings);
    CHECK(run.eviction_texts() == Texts{"low preempted at 10"});
    CHECK(run.start_s("high") == 10);
    CHECK(run.start_s("b") == 10);
    CHECK(run.start_s("last") == 30);
}

TEST_CASE("preemption: what is given back beside a pod that stays wakes nobody", "[sim][quota]") {
    // B's pod ends at 13 s and doubles A's runtime. A's five waiting pods are told at once only if
    // a pod of A beside B's might be preempted.
    const bool stays = GENERATE(false, true);
    sim::Settings settings = preempting({quota("A", 5, 10), quota("B", 5, 10)});
    settings.quotas->refresh = 60s;
    std::vector<sim::Job> jobs{pod("b", "B", 0s, 13s, 5)};
    const sim::Job first = pod("first", "A", 0s, 200s);
    add_pods(jobs, stays ? fixed(first) : first, 5);
    add_pods(jobs, pod("a", "A", 1s, 200s), 5);
    const QuotaRun run(servers_of({10}), jobs, settings);
    CHECK(run.start_s("first-4") == 0);
    CHECK(run.start_s("a-0") == (stays ? 60 : 13));
}

TEST_CASE("preemption: members that left before give nothing back at the end", "[sim][quota]") {
    // One of the group's six members is beside A's pod and leaves at 5 s; the others end at 13 s.
    sim::Settings settings = preempting({quota("A", 5, 10), quota("B", 5, 10)});
    settings.quotas->refresh = 60s;
    sim::Job shrinks = group("b", "B", 0s, 13s, 6, 6);
    shrinks.resizes = {{5s, 5}};
    const QuotaRun run(servers_of({5, 5}),
                       {shrinks, pod("first", "A", 0s, 200s, 4), pod("a-0", "A", 6s, 200s, 2)},
                       settings);
    CHECK(run.start_s("first") == 0);
    CHECK(run.start_s("a-0") == 60);
}

TEST_CASE("preemption: which of the servers", "[sim][quota]") {
    struct Row {
        std::string what;
        std::vector<sim::Job> running;  ///< Two pods on each server of 4, by server.
        Texts victims;
    };
    const auto two = [](const char* name, std::int32_t priority, sim::SimTime at) {
        return ranked(pod(name, "A", at, 100s, 2), priority);
    };
    const std::vector<Row> rows{
        {"the lowest highest victim",
         {two("a", 3, 0s), two("b", 1, 0s), two("c", 2, 0s), two("d", 2, 0s)},
         {"c preempted at 10", "d preempted at 10"}},
        {"the lowest sum of priorities",
         {two("a", 3, 0s), two("b", 2, 0s), two("c", 3, 0s), two("d", 1, 0s)},
         {"c preempted at 10", "d preempted at 10"}},
        {"the latest start of a highest victim",
         {two("a", 3, 0s), two("b", 1, 0s), two("c", 3, 1s), two("d", 1, 1s)},
         {"c preempted at 10", "d preempted at 10"}},
        {"the first server",
         {two("a", 3, 0s), two("b", 1, 0s), two("c", 3, 0s), two("d", 1, 0s)},
         {"a preempted at 10", "b preempted at 10"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        jobs.push_back(ranked(pod("high", "A", 10s, 10s, 4), 9));
        const QuotaRun run(servers_of({4, 4}), jobs, preempting({quota("A", 0, 100)}));
        // The victims may preempt others in their turn.
        Texts texts = run.eviction_texts();
        texts.resize(row.victims.size());
        CHECK(texts == row.victims);
        CHECK(run.start_s("high") == 10);
    }
}

TEST_CASE("preemption: fewer victims where their priorities add up alike", "[sim][quota]") {
    const std::vector<sim::Job> jobs{ranked(pod("a", "A", 0s, 100s, 2), 0),
                                     ranked(pod("b", "A", 0s, 100s, 2), 0),
                                     ranked(pod("c", "A", 0s, 100s, 4), 0),
                                     ranked(pod("high", "A", 10s, 10s, 4), 9)};
    const QuotaRun run(servers_of({4, 4}), jobs, preempting({quota("A", 0, 100)}));
    CHECK(run.eviction_texts() == Texts{"c preempted at 10"});
}

TEST_CASE("preemption: other policies than the runtime's", "[sim][quota]") {
    const std::vector<sim::Job> jobs{pod("low", "A", 0s, 100s, 4),
                                     ranked(pod("high", "A", 10s, 10s, 2), 9)};
    SECTION("nothing limits: there is room, and nobody is taken") {
        sim::Settings settings = preempting({quota("A", 0, 4)});
        settings.quotas->admission = false;
        const QuotaRun run(servers_of({8}), jobs, settings);
        CHECK(run.evictions.empty());
        CHECK(run.start_s("high") == 10);
    }
    SECTION("max") {
        sim::Settings settings = preempting({quota("A", 0, 4)});
        settings.quotas->rules.limit = core::QuotaLimit::max;
        const QuotaRun run(servers_of({8}), jobs, settings);
        CHECK(run.eviction_texts() == Texts{"low preempted at 10"});
    }
    SECTION("the quota above is full of others, and victims below it are in vain") {
        sim::Settings settings =
            preempting({parent_quota("P", 0, 6), quota("A", 0, 4, "P"), quota("B", 0, 6, "P")});
        settings.quotas->rules.limit = core::QuotaLimit::max;
        settings.quotas->rules.check_parents = true;
        std::vector<sim::Job> more{pod("b", "B", 0s, 100s, 5),
                                   pod("low", "A", 0s, 100s, 1),
                                   ranked(pod("high", "A", 10s, 10s, 2), 9)};
        const QuotaRun run(servers_of({8}), more, settings);
        CHECK(run.evictions.empty());
    }
}

TEST_CASE("preemption: those of one shape and different priority are tried apart", "[sim][quota]") {
    // Where a pod finds no place and no less important pod, one of the same shape and a higher
    // priority may still preempt.
    std::vector<sim::Job> jobs{ranked(pod("runs", "A", 0s, 100s, 4), 3),
                               ranked(pod("low", "A", 5s, 10s, 4), 3),
                               ranked(pod("high", "A", 10s, 10s, 4), 4)};
    const QuotaRun run(servers_of({4}), jobs, preempting({quota("A", 0, 100)}));
    CHECK(run.eviction_texts() == Texts{"runs preempted at 10"});
    CHECK(run.start_s("low") == 20);
}

TEST_CASE("preemption: nobody goes for one who would be drained", "[sim][quota][drains]") {
    // The only server is drained from 20 s to 30 s. `low` says that it takes no time.
    sim::Job low = pod("low", "A", 0s, 100s);
    low.estimate = 0s;
    const auto tree = servers_of({1});
    sim::Settings settings = preempting({quota("A", 0, 2)});
    settings.lost_work = 0;
    const auto run = [&](bool evicts, sim::SimTime duration) {
        settings.drains = {{20s, 30s, tree->node_of(core::ServerId{0}), 0s, evicts}};
        return QuotaRun(tree, {low, ranked(pod("high", "A", 10s, duration), 9)}, settings);
    };
    SECTION("in time") {
        const QuotaRun in_time = run(true, 10s);
        CHECK(in_time.eviction_texts() == Texts{"low preempted at 10"});
        CHECK(in_time.start_s("low") == 30);
        CHECK(in_time.metric("quota/A/drained") == 0);
    }
    SECTION("too late") {
        const QuotaRun too_late = run(true, 11s);
        CHECK(too_late.eviction_texts() == Texts{"low drained at 20", "low preempted at 30"});
        CHECK(too_late.start_s("high") == 30);
        CHECK(too_late.metric("quota/A/drained") == 1);
        CHECK(too_late.metric("pods_drained") == 1);
    }
    SECTION("victims are sought again when the drain is over, and nobody left for it") {
        const QuotaRun stays = run(false, 11s);
        CHECK(stays.eviction_texts() == Texts{"low preempted at 30"});
        CHECK(stays.start_s("high") == 30);
    }
    settings.drains.clear();
    CHECK_FALSE(QuotaRun(tree, {low}, settings).has_metric("quota/A/drained"));
}
