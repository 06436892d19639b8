// The books of queues, plans and meters, broken on purpose, are compared with what they should say.

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_sharing/fragmentation.hpp"
#include "sim/backfill/timetable.hpp"
#include "sim/cluster/cluster_invariants.hpp"
#include "sim/cluster/inside/gpus/fragmentation_metrics.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/utilization.hpp"
#include "sim/queue/decayed_usage.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "tests/support/broken.hpp"
#include "tests/support/gpu_cluster.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;
using Catch::Matchers::StartsWith;
using core::Amount;
using core::ServerId;
using sim::QueueKey;
using tests::breakable;
using tests::text;

namespace {

/// Servers that share four GPUs each, and pods that ask for a core and a part of a GPU.
struct Shared {
    Shared()
        : tree(tests::gpu_cluster({{"s0", 8000, 4096, 4, "A"}, {"s1", 8000, 4096, 4, "A"}})),
          ledger(tree) {
        plugins.gpus.emplace().policy = "topology-aware-packing";
        cluster.emplace(ledger, plugins);
        job.name = "pod";
        job.demand = {1000, 0, 500};
        job.gpus = std::make_shared<const core::GpuRequest>(core::GpuRequest{500, 1, {}});
    }
    /// Starts a pod on a server and returns its grants.
    std::vector<sim::Grant> start(std::uint32_t server) {
        return cluster->claim(job, {{{tree->node_of(ServerId{server}), 1}}}, {}).front();
    }

    std::shared_ptr<const core::Topology> tree;
    core::Ledger ledger;
    sim::InsidePlugins plugins;
    std::optional<sim::Cluster> cluster;
    sim::Job job;
};

}  // namespace

TEST_CASE("invariants: what servers hold is what pods claimed, inside too", "[sim][invariants]") {
    Shared shared;
    const sim::ClusterInvariants invariants(*shared.cluster);
    const auto grants = shared.start(1);
    const std::vector<sim::ClusterInvariants::Held> held{{&shared.job, ServerId{1}, 1, grants}};
    CHECK(text(invariants.find_violation(held)) == "none");
    CHECK(text(invariants.find_violation({})) ==
          "what is in use on a server is what its pods claim, and what was in use before the run: "
          "cluster/s1, cpu: 1000: expected 0");
    shared.ledger.release_gpus(ServerId{1}, grants.front().gpus);  // but not the amounts
    CHECK_THAT(text(invariants.find_violation(held)),
               StartsWith("what is taken inside a server is what its pods got, and what was taken "
                          "before the run: cluster/s1: 0 0 0 0 0 0 0 0 0: expected "));
}

TEST_CASE("invariants: an application's pods on a server are counted", "[sim][invariants]") {
    core::Ledger ledger(tests::servers_of_units({4}));
    sim::Cluster cluster(ledger, {});
    const sim::ClusterInvariants invariants(cluster);
    sim::Job limited = tests::job_of("limited", 0, 0s, 1s);
    limited.application = "web";
    limited.per_server_max = 3;
    const sim::ClusterInvariants::Held one{&limited, ServerId{0}, 1};
    (void)cluster.claim(limited, {{{ledger.topology().node_of(ServerId{0}), 1}}}, {});
    CHECK(text(invariants.find_violation({{one}})) == "none");
    CHECK(text(invariants.find_violation({{one, one}})) ==
          "an application's pods on a server are counted: cluster/server-0, application web: room "
          "for 2 more: expected 1 more than the 2 there");
}

TEST_CASE("invariants: the queue has those who wait", "[sim][invariants]") {
    const sim::Job big = tests::job_of("big", 3, 0s, 10s);
    const sim::Job small = tests::job_of("small", 1, 0s, 10s);
    sim::WaitingQueue queue(sim::Preemptors::none, true);
    std::vector<sim::WaitingQueue::Waits> all{{7, &big, core::QuotaId{1}, {0, 0, 1}, 10s},
                                              {8, &small, core::QuotaId{1}, {0, 0, 2}, 20s},
                                              {9, &small, core::QuotaId{2}, {0, 0, 3}, 5s}};
    for (const sim::WaitingQueue::Waits& one : all) {
        queue.add(*one.job, one.quota, one.key, one.index, one.duration);
    }
    CHECK(text(queue.find_violation(all)) == "none");
    SECTION("in another place") {
        all[0].key.number = 4;
        CHECK(text(queue.find_violation(all)) ==
              "a waiting job stands in the queue, in the class of its kind: job big: absent: "
              "expected there");
    }
    SECTION("of another quota") {
        all[1].quota = core::QuotaId{2};
        CHECK_THAT(
            text(queue.find_violation(all)),
            StartsWith("a waiting job stands in the queue, in the class of its kind: job small"));
    }
    SECTION("of another kind") {
        all[0].job = &small;
        CHECK_THAT(text(queue.find_violation(all)),
                   StartsWith("a waiting job stands in the queue"));
    }
    SECTION("no longer") {
        all.pop_back();
        CHECK(text(queue.find_violation(all)) ==
              "the queue has as many jobs as wait: the queue: 3, and a size of 3: expected 2");
    }
    SECTION("twice without room") {
        REQUIRE(queue.next() == 7);
        queue.no_room(false);
        CHECK(text(queue.find_violation(all)) == "none");
        queue.no_room(false);
        CHECK(text(queue.find_violation(all)) ==
              "a class without room is listed: a class of owner 1: 2 times: expected once");
    }
}

TEST_CASE("invariants: jobs found by their durations are those of their class",
          "[sim][invariants]") {
    sim::DurationIndex index;
    std::vector<std::pair<QueueKey, sim::SimTime>> jobs;
    for (std::uint64_t number = 0; number < 300; ++number) {
        jobs.emplace_back(QueueKey{0, 0, number}, sim::SimTime(1000 - number));
        index.add(jobs.back().first, jobs.back().second);
    }
    CHECK(text(index.find_violation(jobs)) == "none");
    jobs[100].second = 1ns;
    CHECK_THAT(text(index.find_violation(jobs)),
               StartsWith("waiting jobs are found by their durations: a class of the queue: 300"));
}

TEST_CASE("invariants: an owner's usage grows by what runs", "[sim][invariants]") {
    const std::vector<Amount> demand{2};
    sim::DecayedUsage usage(1min, std::vector<Amount>{8});
    usage.change(3, demand, 2, 1s);
    std::vector<sim::DecayedUsage::Running> all{{3, demand, 2}};
    CHECK(text(usage.find_violation(all)) == "none");
    usage.change(3, demand, 1, 2s);
    CHECK(text(usage.find_violation(all)) ==
          "an owner's usage grows by what its pods have: owner 3: 3221225472: expected 2147483648");
    all.push_back({4, demand, 1});
    usage.change(3, demand, -1, 3s);
    CHECK_THAT(text(usage.find_violation(all)),
               StartsWith("an owner's usage grows by what its pods "
                          "have: owner 4: 0: expected "));
}

TEST_CASE("invariants: a plan has who runs, and what is free when", "[sim][invariants]") {
    core::Ledger ledger(tests::servers_of_units({4, 4}));
    sim::Cluster cluster(ledger, {});
    const sim::Job job = tests::job_of("job", 2, 0s, 10s);
    const sim::Stint stint{ServerId{1}, 1, 0s, std::nullopt};
    ledger.claim(ServerId{1}, job.demand, 1);
    sim::Timetable table(cluster);
    table.runs(sim::JobId{5}, job, stint, 10s);
    table.promise(sim::JobId{6}, job, ServerId{0}, 1, {}, 4s, 9s);
    std::vector<sim::Timetable::Stay> all{
        {sim::JobId{5}, &job, ServerId{1}, 1, {}, std::nullopt, 10s},
        {sim::JobId{6}, nullptr, ServerId{0}, 1, {}, sim::SimTime(4s), {}}};
    (void)table.at(0);
    (void)table.at(1);
    CHECK(text(table.find_violation(all)) == "none");
    SECTION("until another time") {
        all[0].to = 11s;
        CHECK_THAT(text(table.find_violation(all)),
                   StartsWith("the plan has the running jobs and what is promised, place by place: "
                              "place 1: job number 5 on server 1, 0 grants, 2 of each resource"));
    }
    SECTION("a promise less") {
        all.pop_back();
        CHECK_THAT(
            text(table.find_violation(all)),
            StartsWith("the plan has the running jobs and what is promised, place by place: place "
                       "0: job number 6 on server 0, 0 grants, promised from 4000000000 ns"));
    }
    SECTION("other amounts are free now") {
        tests::lose(ledger, ServerId{0}, 1);
        CHECK(text(table.find_violation(all)) ==
              "what the plan says is free when follows from its pieces and from what is free now: "
              "place 0: 3 steps: expected 3 steps, as they are built anew");
    }
}

TEST_CASE("invariants: meters measure what there is", "[sim][invariants]") {
    Shared shared;
    sim::Utilization utilization(shared.ledger);
    sim::GpuTimeLedger gpu_time(*shared.cluster);
    core::TypicalPodCounter counter;
    counter.add(1000, {500, 1, {}});
    const core::TypicalPods typical = counter.typical(100);
    core::Fragmentation fragmentation(
        typical, shared.ledger.gpus().sets(), shared.ledger.gpus().models());
    sim::FragmentationMetrics fragments(shared.ledger, fragmentation);
    gpu_time.settle(0s, [](sim::JobId) { return false; });
    gpu_time.waits(1, shared.job, sim::JobId{1});
    (void)shared.start(1);
    utilization.settle(1s);
    gpu_time.settle(1s, [](sim::JobId) { return false; });
    fragments.settle(1s);
    CHECK(text(utilization.find_violation()) == "none");
    CHECK(text(gpu_time.find_violation()) == "none");
    CHECK(text(fragments.find_violation()) == "none");

    SECTION("a waiting job asks for more than when it came") {
        shared.job.size = 3;
        CHECK(text(gpu_time.find_violation()) ==
              "the GPUs that waiting jobs ask for are summed up: the queue: 500: expected 1500");
    }
    SECTION("what is idle") {
        const core::NodeId node = shared.tree->node_of(ServerId{0});
        breakable(shared.ledger.available(node)[2]) -= 4000;
        CHECK(text(gpu_time.find_violation()) ==
              "the idle GPUs of all servers are summed up: the cluster: 7500: expected 3500");
    }
    SECTION("time that nobody accounted for") {
        sim::GpuTimeLedger late(*shared.cluster);
        late.settle(1s, [](sim::JobId) { return false; });  // it should have begun at 0 s
        CHECK_THAT(text(late.find_violation()), StartsWith("the uses of GPU time are all of it"));
    }
    SECTION("what was had without gain") {
        sim::Stint stint{ServerId{0}, -1, 0s, sim::SimTime(1s)};
        stint.lost = 1s;
        sim::Stretch stretch;
        stretch.until = 1s;
        sim::GpuTimeLedger told(*shared.cluster, {}, {}, sim::GpuTimeUse::restart);
        told.settle(0s, [](sim::JobId) { return false; });
        told.stint_over(shared.job, stint, stretch);
        CHECK_THAT(text(told.find_violation()),
                   StartsWith("what is had without gain is had in the run, and there in its "
                              "window: redone: "));
    }
    SECTION("what keeps a job off idle GPUs") {
        tests::lose(shared.ledger, ServerId{0}, 8000);  // cores
        CHECK_THAT(text(gpu_time.find_violation()),
                   StartsWith("idle GPUs, and what keeps a job off them, are known by server: "
                              "cluster/s0: "));
    }
    SECTION("what is in use") {
        breakable(shared.ledger.available(shared.tree->root())[0]) -= 1;
        CHECK(text(utilization.find_violation()) ==
              "what is measured on a node is what is in use there: cluster, cpu: 1000: expected "
              "1001");
    }
    SECTION("what is stranded") {
        tests::lose(shared.ledger, ServerId{0}, 8000);
        CHECK_THAT(text(utilization.find_violation()),
                   StartsWith("what is stranded on all servers is summed up: cluster, "));
    }
    SECTION("what is a fragment") {
        shared.ledger.claim_gpus(ServerId{0}, {0b1111, 1000});
        CHECK_THAT(text(fragments.find_violation()),
                   StartsWith("the free GPUs of each class of fragments are summed up: "));
    }
}
