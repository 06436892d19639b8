#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <optional>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/refusal.hpp"
#include "tests/unit/core/kueue_objects.hpp"

using namespace berth::core;
using namespace berth::core::kueue;
using namespace berth::core::kueue::testing;

namespace {

constexpr FlavorResource other_gpus{FlavorId{1}, gpus.resource};
constexpr FlavorResource cores{FlavorId{0}, ResourceId{1}};
constexpr FlavorResource other_cores{FlavorId{1}, ResourceId{1}};
constexpr std::uint32_t queue_count = 3;

/// Objects and workloads drawn at random: three queues of two cohorts, one over the other, with two
/// flavors of two resources.
class RandomCluster {
public:
    explicit RandomCluster(unsigned seed) : bits_(seed), cache_(objects()) {
        for (int i = 0; i < 8; ++i) {
            add_holder();
        }
    }

    Cache& cache() { return cache_; }
    Amount up_to(Amount most) {
        return static_cast<Amount>(bits_() % static_cast<std::uint32_t>(most + 1));
    }
    QuotaNode any_queue() { return QuotaNode{static_cast<std::uint32_t>(up_to(queue_count - 1))}; }

    void add_holder() {
        const bool other = up_to(1) == 0;
        const QuotaNode queue = any_queue();
        const Amount amount = up_to(4);
        const std::int64_t priority = up_to(2);
        Workload workload =
            held_gpus(fmt::format("held{}", ++made_), queue, amount, priority, up_to(20));
        PodSetResources& set = workload.totals.front();
        set.requests[cores.resource] = up_to(4);
        set.flavors[gpus.resource] = set.flavors[cores.resource] = FlavorId{other ? 1U : 0U};
        held_.push_back(cache_.add_workload(std::move(workload)));
    }
    void change() {
        if (!held_.empty() && up_to(2) > 0) {
            const auto gone =
                static_cast<std::size_t>(up_to(static_cast<Amount>(held_.size()) - 1));
            (void)cache_.remove_workload(held_[gone]);
            held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(gone));
        } else {
            add_holder();
        }
    }
    Workload waiting(QuotaNode queue) {
        Workload workload = gpu_workload(fmt::format("waits{}", ++made_), queue, 1 + up_to(6));
        if (up_to(1) == 0) {
            workload.totals.front().requests[cores.resource] = up_to(6);
        }
        workload.priority = up_to(2);
        workload.created = Time{up_to(20), 0};
        return workload;
    }

private:
    PreemptionPolicy policy() {
        constexpr std::array policies{PreemptionPolicy::never,
                                      PreemptionPolicy::lower_priority,
                                      PreemptionPolicy::lower_or_newer_equal_priority,
                                      PreemptionPolicy::any};
        return policies.at(static_cast<std::size_t>(up_to(3)));
    }
    std::optional<Amount> limit() { return up_to(2) == 0 ? std::optional(up_to(5)) : std::nullopt; }
    ClusterQueue queue(std::string name, std::string cohort) {
        ClusterQueue queue = gpu_queue(std::move(name), std::move(cohort), 0);
        queue.groups = {{{gpus.resource, cores.resource}, {FlavorId{0}, FlavorId{1}}}};
        for (const FlavorResource what : {gpus, other_gpus, cores, other_cores}) {
            queue.quotas[what] = {up_to(6), limit(), limit()};
        }
        const PreemptionPolicy within = policy();
        queue.preemption.within_cluster_queue =
            within == PreemptionPolicy::any ? PreemptionPolicy::never : within;
        queue.preemption.reclaim_within_cohort = policy();
        queue.preemption.borrow_within_cohort.allowed = up_to(2) == 0;
        queue.fungibility = {up_to(1) == 0, up_to(1) == 0, up_to(1) == 0};
        return queue;
    }
    CacheSpec objects() {
        CacheSpec spec = gpu_objects({queue("a", "left"), queue("b", "left"), queue("c", "root")},
                                     {{"left", "root", {}, 1}});
        spec.flavors[spec.names.flavor("other")] = {};
        (void)spec.names.resource("cpu");
        if (up_to(1) == 0) {
            spec.configuration.fair_strategies = {FairStrategy::less_or_equal_to_final_share,
                                                  FairStrategy::less_than_initial_share};
        }
        return spec;
    }

    std::mt19937 bits_;
    int made_ = 0;
    Cache cache_;
    std::vector<WorkloadId> held_;
};

/// A workload and why it was refused.
struct Refused {
    Workload workload;
    Refusal refusal;
};

}  // namespace

TEST_CASE("kueue refusals: what holds is what a cycle finds", "[kueue][random]") {
    std::size_t held = 0;
    std::size_t failed = 0;
    for (unsigned seed = 1; seed <= 1500; ++seed) {
        CAPTURE(seed);
        RandomCluster cluster(seed);
        Cache& cache = cluster.cache();
        const WorkloadOrder order(cache.configuration(), Time{});
        HopelessRequests hopeless;
        std::vector<Refused> refused;
        const auto look = [&](const Workload& workload) {
            const std::vector<const Workload*> heads{&workload};
            return Cycle(cache, Time{100, 0}, 1).run(heads).front();
        };
        for (int i = 0; i < 12; ++i) {
            Workload workload = cluster.waiting(cluster.any_queue());
            const Entry entry = look(workload);
            if (auto refusal = Refusal::of(entry, cache)) {
                CHECK(refusal->message(cache.names()) == entry.message);
                refused.push_back({std::move(workload), *std::move(refusal)});
            }
        }
        for (int change = 0; change < 10; ++change) {
            cluster.change();
            for (auto& [workload, refusal] : refused) {
                // Now it is a workload that asks for the same but was created earlier or later.
                workload.created = Time{cluster.up_to(20), 0};
                const bool holds = refusal.holds(cache, order, workload, hopeless);
                ++(holds ? held : failed);
                if (holds) {
                    const Entry found = look(workload);
                    CHECK(refusal.message(cache.names()) == found.message);
                    CHECK(Refusal::of(found, cache).has_value());
                    CHECK_FALSE(is_offered_again(found, cache));
                }
            }
        }
    }
    // Both outcomes happen often enough for the test to tell them apart.
    CHECK(held > 10'000);
    CHECK(failed > 10'000);
}

TEST_CASE("kueue refusals: one that does not hold once may hold again", "[kueue]") {
    Cache cache(gpu_objects({gpu_queue("a", "", 4)}));
    const QuotaNode queue{0};
    const WorkloadOrder order(cache.configuration(), Time{});
    HopelessRequests hopeless;
    WorkloadId held = cache.add_workload(held_gpus("held", queue, 3, 0, 0));
    const Workload workload = gpu_workload("waits", queue, 2);
    const std::vector<const Workload*> heads{&workload};
    auto refusal = Refusal::of(Cycle(cache, Time{1, 0}, 1).run(heads).front(), cache);
    REQUIRE(refusal);
    CHECK(refusal->holds(cache, order, workload, hopeless));
    (void)cache.remove_workload(held);
    CHECK_FALSE(refusal->holds(cache, order, workload, hopeless));
    held = cache.add_workload(held_gpus("held", queue, 4, 0, 0));
    CHECK(refusal->holds(cache, order, workload, hopeless));
    CHECK(refusal->message(cache.names()) ==
          "couldn't assign flavors to pod set main: insufficient unused quota for gpu in flavor "
          "default, 2 more needed");
}

TEST_CASE("kueue refusals: there is none where more than checks of quota decides", "[kueue]") {
    Cache cache(gpu_objects({gpu_queue("a", "", 1)}));
    Workload workload = gpu_workload("waits", QuotaNode{0}, 2);
    const std::vector<const Workload*> heads{&workload};
    const auto refusal = [&] {
        return Refusal::of(Cycle(cache, Time{1, 0}, 1).run(heads).front(), cache);
    };
    CHECK(refusal());
    SECTION("fewer pods might be admitted") {
        workload.pod_sets.front().count = 2;
        workload.pod_sets.front().min_count = 1;
    }
    SECTION("flavors are left from an earlier cycle") {
        workload.last = LastAssignment{{{{gpus.resource, 0}}}, 1, 1, false};
    }
    CHECK_FALSE(refusal());
}
