#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/kueue/cycle.hpp"
#include "tests/unit/core/kueue_objects.hpp"

using namespace berth::core;
using namespace berth::core::kueue;
using namespace berth::core::kueue::testing;

namespace {

constexpr QuotaNode first_queue{0};
constexpr QuotaNode second_queue{1};

std::vector<Entry> run(Cache& cache, const std::vector<Workload>& heads) {
    std::vector<const Workload*> offered;
    for (const Workload& head : heads) {
        offered.push_back(&head);
    }
    return Cycle(cache, Time{1000, 0}, 1).run(offered);
}

std::vector<std::string> target_names(const Entry& entry, const Cache& cache) {
    std::vector<std::string> names;
    for (const Target& target : entry.nomination->targets) {
        names.push_back(cache.workload(target.workload).name);
    }
    return names;
}

}  // namespace

TEST_CASE("kueue cycle: who is admitted leaves nothing to the next, and the cache as it was",
          "[kueue]") {
    Cache cache(gpu_objects({gpu_queue("a", "all", 2), gpu_queue("b", "all", 2)}));
    const std::vector<Workload> heads{gpu_workload("x", first_queue, 3),
                                      gpu_workload("y", second_queue, 2)};
    const std::vector<Entry> entries = run(cache, heads);
    CHECK(entries[0].workload->name == "y");  // who does not borrow goes first
    CHECK(entries[0].is_admitted());
    CHECK(entries[1].status == EntryStatus::skipped);
    CHECK(entries[1].requeue == RequeueReason::failed_after_nomination);
    CHECK(cache.tree().usage(first_queue, gpus) == 0);
    CHECK(cache.tree().usage(cache.tree().root(first_queue), gpus) == 0);
}

TEST_CASE("kueue cycle: as few as make room are preempted, those who came last first", "[kueue]") {
    ClusterQueue queue = gpu_queue("a", "", 4);
    queue.preemption.within_cluster_queue = PreemptionPolicy::lower_priority;
    Cache cache(gpu_objects({queue}));
    for (int i = 0; i < 4; ++i) {
        cache.add_workload(held_gpus(fmt::format("held-{}", i), first_queue, 1, 0, i));
    }
    Workload head = gpu_workload("head", first_queue, 2);
    head.priority = 1;
    const std::vector<Workload> heads{head};
    const std::vector<Entry> entries = run(cache, heads);
    CHECK(entries.front().preempts());
    CHECK(target_names(entries.front(), cache) == std::vector<std::string>{"held-3", "held-2"});
    CHECK(cache.workloads(first_queue).size() == 4);
    CHECK(cache.tree().usage(first_queue, gpus) == 4);
}

TEST_CASE("kueue cycle: a queue takes back what another borrows of it", "[kueue]") {
    const bool fair = GENERATE(false, true);
    ClusterQueue owner = gpu_queue("a", "all", 4);
    owner.preemption.reclaim_within_cohort = PreemptionPolicy::any;
    CacheSpec spec = gpu_objects({owner, gpu_queue("b", "all", 4)});
    if (fair) {
        spec.configuration.fair_strategies = {FairStrategy::less_or_equal_to_final_share};
    }
    Cache cache(std::move(spec));
    for (int i = 0; i < 8; ++i) {
        cache.add_workload(held_gpus(fmt::format("held-{}", i), second_queue, 1, 5, i));
    }
    const std::vector<Workload> heads{gpu_workload("head", first_queue, 3)};
    const std::vector<Entry> entries = run(cache, heads);
    CHECK(target_names(entries.front(), cache) ==
          std::vector<std::string>{"held-7", "held-6", "held-5"});
    CHECK(entries.front().nomination->targets.front().reason ==
          PreemptionReason::in_cohort_reclamation);
}

TEST_CASE("kueue cycle: a head costs the same however many run", "[kueue][counter]") {
    const int running = GENERATE(10, 1000);
    const bool preempts = GENERATE(false, true);
    ClusterQueue queue = gpu_queue("a", "all", running);
    queue.preemption.within_cluster_queue = PreemptionPolicy::lower_or_newer_equal_priority;
    Cache cache(gpu_objects({queue}));
    for (int i = 0; i < running; ++i) {
        cache.add_workload(held_gpus(fmt::format("held-{}", i), first_queue, 1, 0, i));
    }
    Workload head = gpu_workload("head", first_queue, 1);
    head.created = Time{10'000, 0};
    head.priority = preempts ? 1 : 0;
    const std::vector<Workload> heads{head};
    const std::uint64_t before = cache.tree().cells_changed();
    const std::vector<Entry> entries = run(cache, heads);
    CHECK(entries.front().nomination->targets.size() == (preempts ? 1 : 0));
    CHECK(cache.tree().cells_changed() - before <= (preempts ? 20 : 4));
}

TEST_CASE("kueue cycle: the fair order costs the depth for each entry", "[kueue][counter]") {
    const std::uint32_t queues = GENERATE(10U, 100U);
    std::vector<ClusterQueue> all;
    std::vector<Workload> heads;
    for (std::uint32_t i = 0; i < queues; ++i) {
        all.push_back(gpu_queue(fmt::format("queue-{:03}", i), "all", 1));
        heads.push_back(gpu_workload(fmt::format("head-{:03}", i), QuotaNode{i}, 1));
    }
    CacheSpec spec = gpu_objects(all);
    spec.configuration.fair_strategies = {FairStrategy::less_or_equal_to_final_share};
    Cache cache(std::move(spec));
    const std::uint64_t before = cache.tree().cells_changed();
    for (const Entry& entry : run(cache, heads)) {
        CHECK(entry.is_admitted());
    }
    // Measured once (up and down), used once, and put back: two cells each, or one for the root.
    CHECK(cache.tree().cells_changed() - before <= 8 * queues);
}
