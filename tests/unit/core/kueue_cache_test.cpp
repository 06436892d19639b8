#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <random>
#include <vector>

#include "schedulers/kueue/decide/queue_candidates.hpp"
#include "tests/unit/core/kueue_objects.hpp"

using namespace berth::core;
using namespace berth::core::kueue;
using namespace berth::core::kueue::testing;

namespace {

constexpr QuotaNode first_queue{0};
constexpr QuotaNode second_queue{1};

/// Two queues of 4 GPUs in a cohort, which is node 2.
Cache two_queues(PreemptionPolicy own = PreemptionPolicy::lower_priority) {
    ClusterQueue a = gpu_queue("a", "all", 4);
    a.preemption.within_cluster_queue = own;
    return Cache(gpu_objects({a, gpu_queue("b", "all", 4)}));
}

std::vector<std::string> candidate_names(const Cache& cache, const Workload& workload) {
    const WorkloadOrder order(cache.configuration(), Time{100, 0});
    const Preemptor preemptor{workload, first_queue, {{gpus, 1}}, {gpus}};
    std::vector<std::string> names;
    for (QueueCandidates left(cache, order, preemptor, first_queue); !left.empty(); left.pop()) {
        names.push_back(cache.workload(left.front()).name);
    }
    return names;
}

}  // namespace

TEST_CASE("kueue cache: a workload that goes leaves usage as it was", "[kueue]") {
    Cache cache = two_queues();
    const WorkloadId stays = cache.add_workload(held_gpus("stays", first_queue, 3, 0, 1));
    const WorkloadId goes = cache.add_workload(held_gpus("goes", first_queue, 4, 0, 2));
    CHECK(cache.tree().usage(first_queue, gpus) == 7);
    CHECK(cache.tree().available(second_queue, gpus) == 1);
    const std::int64_t generation = cache.queue(first_queue).generation;
    CHECK(cache.remove_workload(goes).name == "goes");
    CHECK(cache.tree().usage(first_queue, gpus) == 3);
    CHECK(cache.tree().available(second_queue, gpus) == 5);
    CHECK(cache.queue(first_queue).generation == generation + 1);
    CHECK(cache.workloads(first_queue) == std::vector{stays});
    CHECK(cache.add_workload(held_gpus("comes", second_queue, 1, 0, 3)) == goes);
    CHECK(cache.workload(goes).name == "comes");
}

TEST_CASE("kueue cache: what a workload costs is the depth of its queue", "[kueue][counter]") {
    std::vector<Cohort> cohorts{{"c0", "", {}, 1}};
    for (int i = 1; i < 5; ++i) {
        cohorts.push_back({fmt::format("c{}", i), fmt::format("c{}", i - 1), {}, 1});
    }
    const auto others = GENERATE(std::size_t{1}, std::size_t{100});
    std::vector<ClusterQueue> queues{gpu_queue("a", "c4", 1)};
    for (std::size_t i = 0; i < others; ++i) {
        queues.push_back(gpu_queue(fmt::format("other-{}", i), "c4", 1));
    }
    Cache cache(gpu_objects(queues, cohorts));
    for (std::uint32_t i = 1; i <= others; ++i) {
        cache.add_workload(held_gpus(fmt::format("of-{}", i), QuotaNode{i}, 1, 0, 1));
    }
    const std::uint64_t before = cache.tree().cells_changed();
    cache.remove_workload(cache.add_workload(held_gpus("x", first_queue, 1, 0, 1)));
    CHECK(cache.tree().cells_changed() - before == 2 * 6);
}

TEST_CASE("kueue cache: a trial leaves usage as it was, at the cost of what it changed",
          "[kueue][counter]") {
    Cache cache = two_queues();
    cache.add_workload(held_gpus("held", first_queue, 3, 0, 1));
    QuotaTree& tree = cache.tree();
    tree.begin_trial();
    for (int i = 0; i < 10; ++i) {
        tree.add_usage(first_queue, {{gpus, 2}});
    }
    CHECK(tree.usage(first_queue, gpus) == 23);
    const std::uint64_t before = tree.cells_changed();
    tree.roll_back();
    CHECK(tree.cells_changed() - before == 2);  // the queue's cell and the cohort's
    CHECK(tree.usage(first_queue, gpus) == 3);
    CHECK(tree.usage(tree.root(first_queue), gpus) == 3);
}

TEST_CASE("kueue cache: quota that changes counts at once, with what is used of it", "[kueue]") {
    Cache cache = two_queues();
    cache.add_workload(held_gpus("held", first_queue, 6, 0, 1));
    const std::int64_t generation = cache.queue(second_queue).generation;
    Quotas quotas;
    quotas[gpus] = {8, std::nullopt, Amount{1}};  // keeps 7 to itself, of which 6 are used
    cache.set_quotas(first_queue, quotas);
    CHECK(cache.tree().available(first_queue, gpus) == 1 + 5);
    CHECK(cache.tree().available(second_queue, gpus) == 5);
    CHECK(cache.tree().potential(second_queue, gpus) == 5);
    CHECK(cache.tree().usage(cache.tree().root(first_queue), gpus) == 0);
    CHECK(cache.queue(second_queue).generation == generation + 1);
}

TEST_CASE("kueue cache: objects that are replaced take effect with what is used", "[kueue]") {
    Cache cache = two_queues();
    cache.add_workload(held_gpus("held", first_queue, 6, 0, 1));
    const std::int64_t generation = cache.queue(first_queue).generation;
    REQUIRE(cache.find_cohort("all"));

    SECTION("a queue that leaves its cohort takes its quota and its usage with it") {
        ClusterQueue alone = cache.queue(first_queue);
        alone.cohort.clear();
        cache.replace({alone}, {});
        CHECK(cache.tree().root(first_queue) == first_queue);
        CHECK(cache.tree().usage(first_queue, gpus) == 6);
        CHECK(cache.tree().usage(*cache.find_cohort("all"), gpus) == 0);
        CHECK(cache.tree().available(second_queue, gpus) ==
              cache.queue(second_queue).quotas.at(gpus).nominal);
        CHECK(cache.queue(first_queue).generation > generation);
        CHECK(cache.queue(second_queue).generation > generation);
    }
    SECTION("a cohort that is new comes between") {
        ClusterQueue below = cache.queue(first_queue);
        below.cohort = "half";
        cache.replace({below}, {Cohort{"half", "all", {{gpus, {3, {}, {}}}}, 2}});
        const auto half = cache.find_cohort("half");
        REQUIRE(half);
        CHECK(cache.tree().parent(first_queue) == half);
        CHECK(cache.tree().parent(*half) == cache.find_cohort("all"));
        CHECK(cache.tree().usage(*half, gpus) == 6);
    }
    SECTION("what changes no quota counts as no change of quota") {
        ClusterQueue stopped = cache.queue(first_queue);
        stopped.stop = StopPolicy::hold;
        cache.replace({stopped}, {});
        CHECK_FALSE(cache.is_active(first_queue));
        CHECK(cache.queue(first_queue).generation == generation);
        CHECK(cache.tree().usage(first_queue, gpus) == 6);
    }
}

TEST_CASE("kueue cache: pods that are done give back what they held", "[kueue]") {
    Cache cache = two_queues();
    Workload workload = held_gpus("group", first_queue, 6, 0, 1);
    workload.pod_sets.front().count = 3;
    workload.totals.front().count = 3;
    const WorkloadId id = cache.add_workload(std::move(workload));
    const std::uint64_t version = cache.version(cache.tree().root(first_queue));
    cache.reclaim_pods(id, 0, 2);
    CHECK(cache.tree().usage(first_queue, gpus) == 4);
    CHECK(cache.usage(id).at(gpus) == 4);
    CHECK(cache.held_by(first_queue).held_up_to(gpus, 0) == 4);
    CHECK(cache.version(cache.tree().root(first_queue)) != version);
    cache.reclaim_pods(id, 0, 3);  // it gives back no more than it holds
    CHECK(cache.usage(id).at(gpus) == 4);
    (void)cache.remove_workload(id);
    CHECK(cache.tree().usage(first_queue, gpus) == 0);
    CHECK(cache.held_by(first_queue).held_up_to(gpus, 0) == 0);
}

TEST_CASE("kueue cache: what is held up to a priority is summed up as workloads come and go",
          "[kueue]") {
    Cache cache = two_queues();
    const auto held = [&](std::int64_t priority) {
        return cache.held_by(first_queue).held_up_to(gpus, priority);
    };
    CHECK(held(100) == 0);
    cache.add_workload(held_gpus("low", first_queue, 1, 1, 0));
    const WorkloadId high = cache.add_workload(held_gpus("high", first_queue, 2, 5, 0));
    cache.add_workload(held_gpus("as-high", first_queue, 4, 5, 0));
    const WorkloadId huge = cache.add_workload(held_gpus("huge", first_queue, unlimited, 9, 0));
    CHECK(held(0) == 0);
    CHECK(held(1) == 1);
    CHECK(held(4) == 1);
    CHECK(held(5) == 7);
    CHECK(held(9) == unlimited);
    (void)cache.remove_workload(huge);
    (void)cache.remove_workload(high);
    CHECK(held(9) == 5);
}

TEST_CASE("kueue cache: no workloads that go make more room than is expected of them",
          "[kueue][random]") {
    const auto seed = GENERATE(range(1U, 200U));
    CAPTURE(seed);
    std::mt19937 bits(seed);
    const auto up_to = [&](Amount most) {
        return static_cast<Amount>(bits() % static_cast<std::uint32_t>(most + 1));
    };
    const auto limit = [&] { return up_to(2) == 0 ? std::optional(up_to(6)) : std::nullopt; };
    std::vector<Cohort> cohorts{{"root", "", {{gpus, {up_to(4), std::nullopt, {}}}}, 1},
                                {"left", "root", {{gpus, {up_to(4), limit(), limit()}}}, 1},
                                {"right", "root", {}, 1}};
    std::vector<ClusterQueue> queues;
    for (const auto* cohort : {"left", "left", "right", "root"}) {
        queues.push_back(gpu_queue(fmt::format("q{}", queues.size()), cohort, up_to(8)));
        queues.back().quotas[gpus].borrowing_limit = limit();
        queues.back().quotas[gpus].lending_limit = limit();
    }
    Cache cache(gpu_objects(queues, cohorts));
    std::vector<WorkloadId> held;
    for (int i = 0; i < 8; ++i) {
        const QuotaNode queue{static_cast<std::uint32_t>(bits() % 4)};
        held.push_back(cache.add_workload(held_gpus(fmt::format("w{}", i), queue, up_to(5), 0, i)));
    }
    const QuotaTree& tree = cache.tree();
    std::vector<QuotaNode> way_up;
    for (auto node = std::optional(first_queue); node; node = tree.parent(*node)) {
        way_up.push_back(*node);
    }
    std::vector<Amount> less(way_up.size(), 0);
    CHECK(tree.available_at_most(first_queue, gpus, less) == tree.available(first_queue, gpus));
    for (const WorkloadId gone : held) {
        cache.take_out(gone);
        for (std::size_t i = 0; i < way_up.size(); ++i) {
            less[i] +=
                tree.is_below(cache.queue_of(gone), way_up[i]) ? cache.usage(gone).at(gpus) : 0;
        }
        const Amount now = tree.available(first_queue, gpus);
        // The expected amount is computed from the usage before anything was taken out.
        for (const WorkloadId back : held) {
            if (cache.held(back).out) {
                cache.put_back(back);
            }
        }
        CHECK(now <= tree.available_at_most(first_queue, gpus, less));
        for (const WorkloadId again : held) {
            if (again <= gone) {
                cache.take_out(again);
            }
        }
    }
}

TEST_CASE("kueue candidates: evicted, then low priority, then young ones", "[kueue]") {
    Cache cache = two_queues();
    cache.add_workload(held_gpus("low-old", first_queue, 1, 0, 1));
    cache.add_workload(held_gpus("low-young", first_queue, 1, 0, 9));
    const WorkloadId evicted = cache.add_workload(held_gpus("evicted", first_queue, 1, 1, 5));
    cache.add_workload(held_gpus("same", first_queue, 1, 2, 7));
    Workload head = gpu_workload("head", first_queue, 1);
    head.priority = 2;
    CHECK(candidate_names(cache, head) ==
          std::vector<std::string>{"low-young", "low-old", "evicted"});
    cache.set_evicted(
        evicted, {"Preempted", Time{10, 0}}, Condition{"InClusterQueue", Time{10, 0}});
    CHECK(candidate_names(cache, head) ==
          std::vector<std::string>{"evicted", "low-young", "low-old"});
    cache.take_out(evicted);
    CHECK(candidate_names(cache, head) == std::vector<std::string>{"low-young", "low-old"});
}

TEST_CASE("kueue candidates: of an equal priority only who is newer", "[kueue]") {
    Cache cache = two_queues(PreemptionPolicy::lower_or_newer_equal_priority);
    cache.add_workload(held_gpus("older", first_queue, 1, 0, 1));
    Workload head = gpu_workload("head", first_queue, 1);
    head.created = Time{5, 0};
    CHECK(candidate_names(cache, head).empty());
    cache.add_workload(held_gpus("newer", first_queue, 1, 0, 9));
    CHECK(candidate_names(cache, head) == std::vector<std::string>{"newer"});
}
