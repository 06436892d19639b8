#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cycle.hpp"
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
    CHECK(entries[0].workload->name == "y");  // a workload that does not borrow goes first
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

TEST_CASE("kueue cycle: whose own queue gave way is given a second chance by its share",
          "[kueue]") {
    const bool again = GENERATE(false, true);
    // With the head added, the share of the left queue would be greater than what the right queue
    // has left without either of its workloads. This is no longer so once the left queue's own
    // workloads are gone.
    ClusterQueue left = gpu_queue("left", "all", 0);
    left.preemption.within_cluster_queue = PreemptionPolicy::lower_priority;
    left.preemption.reclaim_within_cohort = PreemptionPolicy::any;
    Cohort all;
    all.name = "all";
    all.quotas[gpus] = {12, std::nullopt, std::nullopt};
    CacheSpec spec = gpu_objects({left, gpu_queue("right", "all", 0)}, {all});
    spec.queues[1].weight = 0.5;  // so this queue is preempted from first
    spec.configuration.fair_strategies = {FairStrategy::less_or_equal_to_final_share};
    spec.configuration.gates.set(FeatureGate::fair_sharing_reevaluate, again);
    Cache cache(std::move(spec));
    for (int i = 0; i < 4; ++i) {
        cache.add_workload(held_gpus(fmt::format("left-{}", i), first_queue, 1, 0, i));
    }
    cache.add_workload(held_gpus("right-0", second_queue, 4, 0, 0));
    cache.add_workload(held_gpus("right-1", second_queue, 4, 0, 1));
    Workload head = gpu_workload("head", first_queue, 6);
    head.priority = 1;
    const std::vector<Entry> entries = run(cache, {head});
    CHECK(target_names(entries.front(), cache) ==
          (again ? std::vector<std::string>{"left-3", "left-2", "right-1"}
                 : std::vector<std::string>{}));
    CHECK(cache.tree().usage(first_queue, gpus) == 4);
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

TEST_CASE("kueue cycle: nobody is taken out where all candidates together make no room",
          "[kueue][counter]") {
    const int running = GENERATE(10, 1000);
    const bool fair = GENERATE(false, true);
    ClusterQueue queue = gpu_queue("a", "all", 4);
    queue.preemption.within_cluster_queue = PreemptionPolicy::lower_priority;
    queue.preemption.reclaim_within_cohort = PreemptionPolicy::any;
    ClusterQueue full = gpu_queue("c", "all", 2 * running);
    CacheSpec spec = gpu_objects({queue, gpu_queue("b", "all", running), full});
    if (fair) {
        spec.configuration.fair_strategies = {FairStrategy::less_or_equal_to_final_share};
    }
    Cache cache(std::move(spec));
    cache.add_workload(held_gpus("too-important", first_queue, 3, 9, 0));
    // The queue is below its own quota and the other queue borrows, but not as much as is needed.
    for (int i = 0; i <= running; ++i) {
        cache.add_workload(held_gpus(fmt::format("held-{}", i), second_queue, 1, 0, i));
    }
    cache.add_workload(held_gpus("large", QuotaNode{2}, 2 * running, 0, 0));
    Workload head = gpu_workload("head", first_queue, fair ? running + 3 : 3);
    head.priority = 5;
    const std::vector<Workload> heads{head};
    const std::uint64_t before = cache.tree().cells_changed();
    const std::vector<Entry> entries = run(cache, heads);
    CHECK_FALSE(entries.front().is_admitted());
    CHECK(entries.front().nomination->targets.empty());
    CHECK(cache.tree().cells_changed() - before <= (fair ? 8 : 4));
}

TEST_CASE("kueue cycle: what was found for a head holds as long as its tree does not change",
          "[kueue]") {
    ClusterQueue queue = gpu_queue("a", "all", 4);
    queue.strategy = QueueingStrategy::strict_fifo;
    Cache cache(gpu_objects({queue, gpu_queue("b", "all", 4), gpu_queue("c", "other", 4)}));
    NominationMemory memory;
    Workload head = gpu_workload("head", first_queue, 9);
    head.offer = 1;
    const std::vector<const Workload*> heads{&head};
    const auto is_known = [&] { return memory.find(cache, head, nullptr) != nullptr; };
    CHECK_FALSE(is_known());
    const std::vector<Entry> entries = Cycle(cache, Time{1, 0}, 1, &memory).run(heads);
    CHECK(is_known());
    CHECK(Cycle(cache, Time{2, 0}, 2, &memory).run(heads).front().message ==
          entries.front().message);

    SECTION("a workload of another tree changes nothing") {
        cache.add_workload(held_gpus("held", QuotaNode{2}, 1, 0, 0));
        CHECK(is_known());
    }
    SECTION("one of the same tree that comes, is evicted or goes does") {
        const WorkloadId held = cache.add_workload(held_gpus("held", second_queue, 1, 0, 0));
        CHECK_FALSE(is_known());
        (void)Cycle(cache, Time{3, 0}, 3, &memory).run(heads);
        CHECK(is_known());
        cache.set_evicted(held, {"Preempted", Time{4, 0}}, Condition{"InClusterQueue", Time{4, 0}});
        CHECK_FALSE(is_known());
        (void)Cycle(cache, Time{5, 0}, 5, &memory).run(heads);
        CHECK(is_known());
        (void)cache.remove_workload(held);
        CHECK_FALSE(is_known());
    }
    SECTION("so does quota") {
        cache.set_quotas(second_queue, {{gpus, {5, std::nullopt, std::nullopt}}});
        CHECK_FALSE(is_known());
        CHECK(Cycle(cache, Time{3, 0}, 3, &memory).run(heads).front().is_admitted());
    }
    SECTION("another workload, or one that goes on elsewhere among its flavors, is another") {
        Workload other = head;
        other.offer = 2;
        CHECK(memory.find(cache, other, nullptr) == nullptr);
        const LastAssignment last{{{{gpus.resource, 0}}}, 1, 1, false};
        CHECK(memory.find(cache, head, &last) == nullptr);
    }
    SECTION("times that are not written yet are those of whoever asks") {
        Workload held = held_gpus("held", QuotaNode{2}, 1, 0, 0);
        held.reserved.reset();
        cache.add_workload(std::move(held));
        CHECK_FALSE(is_known());
    }
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
    // Each entry is measured once (up and down), charged once and put back: two cells each time, or
    // one for the root.
    CHECK(cache.tree().cells_changed() - before <= 8 * queues);
}
