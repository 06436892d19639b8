#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/queue_manager.hpp"
#include "tests/unit/core/kueue_objects.hpp"

using namespace berth::core;
using namespace berth::core::kueue;
using namespace berth::core::kueue::testing;

namespace {

constexpr QuotaNode first_queue{0};
constexpr QuotaNode second_queue{1};

/// Two queues in a cohort, and one that is alone.
Cache three_queues(QueueingStrategy strategy = QueueingStrategy::best_effort_fifo) {
    ClusterQueue a = gpu_queue("a", "all", 4);
    a.strategy = strategy;
    return Cache(gpu_objects({a, gpu_queue("b", "all", 4), gpu_queue("c", "", 4)}));
}

Workload waits(const std::string& name, QuotaNode queue, Amount amount, std::int64_t second = 0) {
    Workload workload = gpu_workload(name, queue, amount);
    workload.created = Time{second, 0};
    return workload;
}

std::vector<std::string> names_of(const QueueManager& queues, const std::vector<PendingId>& ids) {
    std::vector<std::string> names;
    for (const PendingId id : ids) {
        names.push_back(queues.workload(id).name);
    }
    return names;
}

/// Gives a head back to the queues with the entry that a cycle returned for it.
void requeue(QueueManager& queues, PendingId head, Entry entry) {
    entry.workload = &queues.workload(head);
    queues.requeue(head, entry);
}

Entry no_fit() {
    Entry entry;
    entry.requeue = RequeueReason::no_fit;
    entry.message = "no room";
    return entry;
}

Entry pending_preemption() {
    Entry entry;
    entry.requeue = RequeueReason::pending_preemption;
    return entry;
}

}  // namespace

TEST_CASE("kueue queues: each offers its first, by priority and then by age", "[kueue]") {
    const Cache cache = three_queues();
    QueueManager queues(cache);
    CHECK_FALSE(queues.has_heads());
    queues.add(PendingId{0}, waits("b-late", second_queue, 1, 9));
    queues.add(PendingId{1}, waits("b-early", second_queue, 2, 3));
    queues.add(PendingId{2}, waits("a-low", first_queue, 1, 0));
    Workload high = waits("a-high", first_queue, 3, 5);
    high.priority = 1;
    queues.add(PendingId{3}, std::move(high));
    CHECK(names_of(queues, queues.pop_heads()) == std::vector<std::string>{"a-high", "b-early"});
    CHECK(queues.remove(PendingId{3}).name == "a-high");
    CHECK(queues.remove(PendingId{1}).name == "b-early");
    CHECK(names_of(queues, queues.pop_heads()) == std::vector<std::string>{"a-low", "b-late"});
    CHECK_FALSE(queues.has_heads());
    CHECK(queues.size() == 2);
}

TEST_CASE("kueue queues: who asks for the same is parked together", "[kueue]") {
    const Cache cache = three_queues();
    QueueManager queues(cache);
    for (std::uint32_t i = 0; i < 3; ++i) {
        queues.add(PendingId{i}, waits("same", first_queue, 8, i));
    }
    queues.add(PendingId{3}, waits("other", first_queue, 1, 9));
    requeue(queues, queues.pop_heads().front(), no_fit());
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(queues.is_parked(PendingId{i}));
        CHECK(queues.why_parked(PendingId{i}) == "no room");
    }
    CHECK(names_of(queues, queues.pop_heads()) == std::vector<std::string>{"other"});

    SECTION("and so is who comes later") {
        queues.add(PendingId{4}, waits("same", first_queue, 8, 20));
        CHECK(queues.is_parked(PendingId{4}));
        CHECK_FALSE(queues.has_heads());
    }
    SECTION("until something happens in their tree") {
        queues.retry(QuotaNode{2});
        CHECK_FALSE(queues.has_heads());
        queues.retry(cache.tree().root(second_queue));
        CHECK(queues.pop_heads() == std::vector{PendingId{0}});
    }
    SECTION("and who leaves is not offered then") {
        CHECK(queues.remove(PendingId{0}).name == "same");
        queues.retry(cache.tree().root(first_queue));
        CHECK(queues.pop_heads() == std::vector{PendingId{1}});
    }
}

TEST_CASE("kueue queues: who asks for another level is not parked with others", "[kueue]") {
    const Cache cache = three_queues();
    QueueManager queues(cache);
    const auto add = [&](std::uint32_t id, const TopologyRequest& request) {
        Workload workload = waits("pods", first_queue, 1, id);
        workload.pod_sets.front().topology = request;
        queues.add(PendingId{id}, std::move(workload));
    };
    TopologyRequest rack;
    rack.required = "rack";
    TopologyRequest zone;
    zone.required = "zone";
    TopologyRequest rather_rack;
    rather_rack.preferred = "rack";
    TopologyRequest in_slices = rack;
    in_slices.layers.push_back({"host", 2});
    TopologyRequest anywhere;
    anywhere.unconstrained = true;
    add(0, rack);
    add(1, zone);
    add(2, rather_rack);
    add(3, in_slices);
    add(4, anywhere);
    queues.add(PendingId{5}, waits("pods", first_queue, 1, 5));
    add(6, rack);
    requeue(queues, queues.pop_heads().front(), no_fit());
    CHECK(queues.is_parked(PendingId{0}));
    CHECK(queues.is_parked(PendingId{6}));
    for (std::uint32_t i = 1; i < 6; ++i) {
        CAPTURE(i);
        CHECK_FALSE(queues.is_parked(PendingId{i}));
    }
}

TEST_CASE("kueue queues: in a strict queue the first holds up the others", "[kueue]") {
    const Cache cache = three_queues(QueueingStrategy::strict_fifo);
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("large", first_queue, 8, 0));
    queues.add(PendingId{1}, waits("small", first_queue, 1, 1));
    for (int cycle = 0; cycle < 3; ++cycle) {
        const auto heads = queues.pop_heads();
        CHECK(names_of(queues, heads) == std::vector<std::string>{"large"});
        requeue(queues, heads.front(), no_fit());
    }
}

TEST_CASE("kueue queues: who is preempted for is offered before others until it goes", "[kueue]") {
    const bool strict = GENERATE(false, true);
    const Cache cache =
        three_queues(strict ? QueueingStrategy::strict_fifo : QueueingStrategy::best_effort_fifo);
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("preemptor", first_queue, 8, 5));
    requeue(queues, queues.pop_heads().front(), pending_preemption());
    Workload high = waits("high", first_queue, 1, 9);
    high.priority = 1;
    queues.add(PendingId{1}, std::move(high));
    const auto heads = queues.pop_heads();
    CHECK(names_of(queues, heads).front() == (strict ? "high" : "preemptor"));
    CHECK(queues.workload(heads.front()).is_preemptor == !strict);
    requeue(queues, heads.front(), pending_preemption());
    (void)queues.remove(PendingId{0});
    CHECK(names_of(queues, queues.pop_heads()) == std::vector<std::string>{"high"});
}

TEST_CASE("kueue queues: a flavor that is left to try brings a workload back at once", "[kueue]") {
    const Cache cache = three_queues();
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("one", first_queue, 8));
    Entry entry = no_fit();
    entry.last = LastAssignment{{{{gpus.resource, 0}}}, 1, 7, false};
    requeue(queues, queues.pop_heads().front(), entry);
    CHECK_FALSE(queues.is_parked(PendingId{0}));
    REQUIRE(queues.workload(PendingId{0}).last);
    CHECK(queues.workload(PendingId{0}).last->cycle == 7);
}

TEST_CASE("kueue queues: a queue that becomes strict, or joins another tree", "[kueue]") {
    Cache cache = three_queues();
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("one", first_queue, 8, 0));
    queues.add(PendingId{1}, waits("two", first_queue, 8, 1));
    requeue(queues, queues.pop_heads().front(), no_fit());
    REQUIRE(queues.is_parked(PendingId{1}));
    ClusterQueue strict = cache.queue(first_queue);
    strict.strategy = QueueingStrategy::strict_fifo;
    strict.cohort.clear();
    cache.replace({strict}, {});
    queues.objects_changed();
    CHECK(queues.is_parked(PendingId{0}));
    queues.retry(cache.tree().root(second_queue));
    CHECK_FALSE(queues.has_heads());
    queues.retry(first_queue);
    requeue(queues, queues.pop_heads().front(), no_fit());
    CHECK(queues.pop_heads() == std::vector{PendingId{0}});
    requeue(queues, PendingId{0}, no_fit());

    ClusterQueue again = cache.queue(first_queue);
    again.strategy = QueueingStrategy::best_effort_fifo;
    cache.replace({again}, {});
    queues.objects_changed();
    requeue(queues, queues.pop_heads().front(), no_fit());
    CHECK(queues.is_parked(PendingId{1}));
    CHECK_FALSE(queues.has_heads());
}

TEST_CASE("kueue queues: a queue is offered again when it is stopped no longer", "[kueue]") {
    Cache cache = three_queues();
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("one", first_queue, 1));
    ClusterQueue changed = cache.queue(first_queue);
    changed.stop = StopPolicy::hold_and_drain;
    cache.replace({changed}, {});
    queues.objects_changed();
    CHECK_FALSE(queues.has_heads());
    changed.stop = StopPolicy::none;
    cache.replace({changed}, {});
    queues.objects_changed();
    CHECK(queues.pop_heads() == std::vector{PendingId{0}});
}

TEST_CASE("kueue queues: of a queue that is stopped nobody is offered", "[kueue]") {
    ClusterQueue stopped = gpu_queue("a", "", 4);
    stopped.stop = StopPolicy::hold;
    const Cache cache(gpu_objects({stopped}));
    QueueManager queues(cache);
    queues.add(PendingId{0}, waits("one", first_queue, 1));
    CHECK_FALSE(queues.has_heads());
    CHECK(queues.pop_heads().empty());
    CHECK(queues.waits(PendingId{0}));
}
