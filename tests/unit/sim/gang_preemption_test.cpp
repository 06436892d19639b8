// Preemption by groups and of groups, inside a quota and across quotas, in little runs.

#include <catch2/catch.hpp>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

sim::Settings preempting(std::vector<core::ElasticQuota> quotas, bool reclaim = false) {
    sim::Settings settings = with_quotas(std::move(quotas));
    settings.quotas->gang_preemption = {reclaim};
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

TEST_CASE("gang preemption: a group takes the place of a group", "[sim][quota]") {
    // `top` needs five of eight places, but part of the group of six is of no use: all of it goes.
    const QuotaRun run(servers_of({4, 4}),
                       {ranked(group("mid", "A", 0s, 100s, 2, 2), 5),
                        ranked(group("low", "A", 0s, 100s, 6, 6), 1),
                        ranked(group("top", "A", 10s, 20s, 5, 5), 9)},
                       preempting({quota("A", 8, 8)}));
    CHECK(run.eviction_texts() == Texts{"low preempted at 10"});
    CHECK(run.start_s("top") == 10);
    CHECK(run.start_s("low") == 30);
    CHECK(run.finish_s("mid") == 100);
    CHECK(run.metric("pods_preempted") == 6);
    CHECK(run.metric("quota/A/preempted") == 6);
}

TEST_CASE("gang preemption: a group takes the places of single pods, on several servers",
          "[sim][quota]") {
    // Each of three servers has two pods of 2. The group needs three such places; the pods of
    // priority 2 stay.
    std::vector<sim::Job> jobs;
    add_pods(jobs, ranked(pod("low", "A", 0s, 100s, 2), 1), 3);
    add_pods(jobs, ranked(pod("mid", "A", 1s, 100s, 2), 2), 3);
    sim::Job top = ranked(group("top", "A", 10s, 20s, 3, 3), 9);
    top.demand = {2};
    jobs.push_back(top);
    const QuotaRun run(servers_of({4, 4, 4}), jobs, preempting({quota("A", 12, 12)}));
    CHECK(run.eviction_texts() ==
          Texts{"low-0 preempted at 10", "low-1 preempted at 10", "low-2 preempted at 10"});
    CHECK(run.start_s("top") == 10);
}

TEST_CASE("gang preemption: a group takes no more places than it needs to start", "[sim][quota]") {
    std::vector<sim::Job> jobs;
    add_pods(jobs, ranked(pod("low", "A", 0s, 100s), 1), 6);
    jobs.push_back(ranked(group("top", "A", 10s, 20s, 6, 4), 9));
    const QuotaRun run(servers_of({4, 4}), jobs, preempting({quota("A", 8, 8)}));
    // Two places are free, and the group needs at least four to start.
    CHECK(run.eviction_texts() == Texts{"low-0 preempted at 10", "low-1 preempted at 10"});
    CHECK(run.of("top").placed == 4);
}

TEST_CASE("gang preemption: who has least to lose goes first", "[sim][quota]") {
    struct Row {
        std::string what;
        std::vector<sim::Job> running;
        std::string victim;
    };
    const auto checkpointed = [](sim::Job job) {
        job.checkpoint = sim::Checkpoint{};
        job.checkpoint->every = 10s;
        return job;
    };
    const std::vector<Row> rows{
        {"lower priority before less work",
         {ranked(pod("a", "A", 0s, 100s, 4), 1), ranked(pod("b", "A", 20s, 100s, 4), 2)},
         "a"},
        {"less work before more", {pod("a", "A", 0s, 100s, 4), pod("b", "A", 1s, 100s, 4)}, "b"},
        {"who has written it",
         {checkpointed(pod("a", "A", 0s, 100s, 4)), pod("b", "A", 20s, 100s, 4)},
         "a"},
        {"work counts by its GPUs, or CPUs, or units",
         {pod("a", "A", 0s, 100s, 4), pod("b", "A", 0s, 100s, 3)},
         "b"},
        {"the first to come of equals",
         {pod("a", "A", 0s, 100s, 4), pod("b", "A", 0s, 100s, 4)},
         "a"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        jobs.push_back(ranked(pod("top", "A", 30s + 1ms, 10s, 3), 9));
        sim::Settings settings = preempting({quota("A", 8, 8)});
        settings.checkpoints = true;
        const QuotaRun run(servers_of({4, 4}), jobs, settings);
        REQUIRE(run.evictions.size() == 1);
        CHECK(run.evictions.front().job == row.victim);
    }
}

TEST_CASE("gang preemption: who may not be taken", "[sim][quota]") {
    struct Row {
        std::string what;
        std::vector<sim::Job> running;  ///< Together they use eight units, which is all there is.
        sim::Job preemptor;
        bool reclaim = true;
    };
    const sim::Job high = ranked(group("high", "A", 10s, 10s, 2, 2), 9);
    const std::vector<Row> rows{
        {"of equal priority", {ranked(group("a", "A", 0s, 100s, 8, 8), 9)}, high},
        {"not preemptible",
         {fixed(group("a", "A", 0s, 100s, 4, 4)), pod("b", "B", 0s, 100s, 4)},
         high},
        {"of another quota, without reclaim", {group("b", "B", 0s, 100s, 8, 8)}, high, false},
        {"of the default group", {pod("nobody", "", 0s, 100s, 8)}, high},
        {"for the default group",
         {pod("nobody", "", 0s, 100s, 4), group("b", "B", 0s, 100s, 4, 4)},
         ranked(pod("high", "", 10s, 10s, 2), 9)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        jobs.push_back(row.preemptor);
        const QuotaRun run(
            servers_of({8}), jobs, preempting({quota("A", 4, 8), quota("B", 4, 8)}, row.reclaim));
        CHECK(run.evictions.empty());
        CHECK(run.start_s("high") == 100);
    }
}

TEST_CASE("gang preemption: what was borrowed is taken back, and no more", "[sim][quota]") {
    // B uses eight of eight and has a min of four. A's group of four gets the other four, whatever
    // the priorities; a second group, with which A would have more than its min, waits.
    std::vector<sim::Job> jobs;
    add_pods(jobs, ranked(pod("b", "B", 0s, 100s, 2), 5), 4);
    jobs.push_back(group("first", "A", 10s, 20s, 4, 4));
    jobs.push_back(group("second", "A", 11s, 20s, 1, 1));
    const QuotaRun run(
        servers_of({8}), jobs, preempting({quota("A", 4, 8), quota("B", 4, 8)}, true));
    CHECK(run.eviction_texts() == Texts{"b-0 preempted at 10", "b-1 preempted at 10"});
    CHECK(run.start_s("first") == 10);
    CHECK(run.start_s("second") == 30);
    CHECK(run.metric("quota/B/preempted") == 2);
}

TEST_CASE("gang preemption: who may not be preempted does not give back", "[sim][quota]") {
    const QuotaRun run(servers_of({8}),
                       {fixed(pod("fixed", "B", 0s, 100s, 4)),
                        ranked(pod("dear", "B", 0s, 100s, 4), 9),
                        group("lender", "A", 10s, 20s, 3, 3)},
                       preempting({quota("A", 4, 8), quota("B", 4, 8)}, true));
    CHECK(run.eviction_texts() == Texts{"dear preempted at 10"});
}

TEST_CASE("gang preemption: a borrower's group that is more than it borrowed stays",
          "[sim][quota]") {
    const QuotaRun run(servers_of({8}),
                       {group("large", "B", 0s, 100s, 5, 5),
                        group("small", "B", 0s, 100s, 3, 3),
                        group("lender", "A", 10s, 20s, 3, 3)},
                       preempting({quota("A", 4, 8), quota("B", 4, 8)}, true));
    CHECK(run.eviction_texts() == Texts{"small preempted at 10"});
    CHECK(run.start_s("lender") == 10);
}

TEST_CASE("gang preemption: victims are where they are of use", "[sim][quota]") {
    // B has borrowed four of eight. The four least important pods are two on each server, and A's
    // pod needs a whole server. The more important pods of the first server go, and then take the
    // places of the least important ones of the second.
    std::vector<sim::Job> jobs;
    for (const char* server : {"first", "second"}) {
        add_pods(jobs, ranked(pod(std::string(server) + "-low", "B", 0s, 100s), 1), 2);
        add_pods(jobs, ranked(pod(std::string(server) + "-mid", "B", 0s, 100s), 2), 2);
    }
    jobs.push_back(pod("lender", "A", 20s, 10s, 4));
    const QuotaRun run(
        servers_of({4, 4}), jobs, preempting({quota("A", 4, 8), quota("B", 4, 8)}, true));
    CHECK(run.eviction_texts() == Texts{"first-low-0 preempted at 20",
                                        "first-low-1 preempted at 20",
                                        "first-mid-0 preempted at 20",
                                        "first-mid-1 preempted at 20",
                                        "second-low-0 preempted at 20",
                                        "second-low-1 preempted at 20"});
    CHECK(run.start_s("lender") == 20);
}

TEST_CASE("gang preemption: in a tree, what a parent has lent", "[sim][quota]") {
    // x and y belong to P, whose min is six; z belongs to Q, with a min of two. x is owed four.
    // While P as a whole has its six, x takes back from y alone; otherwise it takes from z too.
    const std::vector<core::ElasticQuota> quotas{parent_quota("P", 6, 8),
                                                 parent_quota("Q", 2, 8),
                                                 quota("x", 4, 8, "P"),
                                                 quota("y", 2, 8, "P"),
                                                 quota("z", 2, 8, "Q")};
    SECTION("from its sibling") {
        std::vector<sim::Job> jobs;
        add_pods(jobs, ranked(pod("y", "y", 0s, 100s, 1), 5), 6);
        add_pods(jobs, pod("z", "z", 0s, 100s, 1), 2);
        jobs.push_back(group("x", "x", 10s, 20s, 2, 2));
        const QuotaRun run(servers_of({8}), jobs, preempting(quotas, true));
        CHECK(run.eviction_texts() == Texts{"y-0 preempted at 10", "y-1 preempted at 10"});
    }
    SECTION("from another parent's") {
        std::vector<sim::Job> jobs;
        add_pods(jobs, ranked(pod("y", "y", 0s, 100s, 1), 5), 3);
        add_pods(jobs, pod("z", "z", 0s, 100s, 1), 5);
        jobs.push_back(group("x", "x", 10s, 20s, 3, 3));
        const QuotaRun run(servers_of({8}), jobs, preempting(quotas, true));
        CHECK(run.eviction_texts() ==
              Texts{"z-0 preempted at 10", "z-1 preempted at 10", "z-2 preempted at 10"});
    }
}

TEST_CASE("gang preemption: nobody is taken in vain", "[sim][quota]") {
    struct Row {
        std::string what;
        sim::Job preemptor;
        std::vector<core::ElasticQuota> quotas;
        std::vector<sim::Job> running;
    };
    const std::vector<Row> rows{
        {"more than the quota may ever use",
         ranked(group("high", "A", 10s, 10s, 5, 5), 9),
         {quota("A", 4, 4)},
         {group("a", "A", 0s, 100s, 4, 4)}},
        {"more than all servers have",
         ranked(group("high", "A", 10s, 10s, 9, 9), 9),
         {quota("A", 16, 16)},
         {group("a", "A", 0s, 100s, 8, 8)}},
        {"others of its quota are in the way",
         ranked(group("high", "A", 10s, 10s, 6, 6), 5),
         {quota("A", 8, 8)},
         {ranked(group("a", "A", 0s, 100s, 4, 4), 9), group("b", "A", 0s, 100s, 4, 4)}},
        {"of what another has borrowed, no group is small enough",
         group("high", "A", 10s, 10s, 4, 4),
         {quota("A", 4, 8), quota("B", 4, 8)},
         {group("b", "B", 0s, 100s, 8, 8)}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<sim::Job> jobs = row.running;
        jobs.push_back(row.preemptor);
        sim::Settings settings = preempting(row.quotas, true);
        settings.until = 50s;
        const QuotaRun run(servers_of({8}), jobs, settings);
        CHECK(run.evictions.empty());
        CHECK(run.of("high").outcome == sim::Outcome::waiting);
    }
}

TEST_CASE("gang preemption: it is tried again when that may be of use", "[sim][quota]") {
    SECTION("when somebody who may not be taken ends") {
        const QuotaRun run(servers_of({8}),
                           {ranked(group("dear", "A", 0s, 40s, 4, 4), 9),
                            group("cheap", "A", 0s, 100s, 4, 4),
                            ranked(group("high", "A", 10s, 10s, 6, 6), 5)},
                           preempting({quota("A", 8, 8)}));
        CHECK(run.eviction_texts() == Texts{"cheap preempted at 40"});
        CHECK(run.start_s("high") == 40);
    }
    SECTION("when another quota starts to borrow") {
        // B has borrowed two, and losing its pod of three would leave it less than its min. Once it
        // has borrowed three, that pod may go.
        sim::Settings settings =
            preempting({quota("A", 4, 8), quota("B", 1, 8), quota("C", 3, 8)}, true);
        settings.quotas->rules.limit = core::QuotaLimit::max;
        const QuotaRun run(servers_of({4, 4}),
                           {pod("b", "B", 0s, 100s, 3),
                            pod("c", "C", 0s, 100s, 3),
                            pod("lender", "A", 10s, 20s, 2),
                            pod("more", "B", 20s, 100s, 1)},
                           settings);
        CHECK(run.eviction_texts() == Texts{"b preempted at 20"});
        CHECK(run.start_s("lender") == 20);
    }
}
