// Which jobs are asked again in a cycle, and which are not.

#include "sim/queue/waiting_queue.hpp"

#include <catch2/catch.hpp>

#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace std::chrono_literals;

namespace {

sim::Job gang_of_four() {
    sim::Job job = tests::job_of("gang", 1, 0s, 10s);
    job.group = true;
    job.size = 4;
    job.min_available = 4;
    return job;
}

}  // namespace

TEST_CASE("waiting queue: a pod looks for victims when its quota is woken, a group never does",
          "[sim][queue]") {
    // A pod of a closed shape may make room for itself. A group may not: it is tried again only
    // when something was given back, even where a solver that misses places would find one now.
    const bool is_group = GENERATE(false, true);
    const sim::Job job = is_group ? gang_of_four() : tests::job_of("pod", 1, 0s, 10s);
    sim::WaitingQueue queue(sim::Preemptors::single_pods, false);
    queue.add(job, core::QuotaId{1}, {0, 0, 1}, 7, 10s);
    queue.reopen_after(1);
    REQUIRE(queue.next() == 7);
    queue.no_room(true);
    CHECK_FALSE(queue.next());
    queue.wake(core::QuotaId{1});
    CHECK(queue.next().has_value() == !is_group);
    CHECK(queue.may_be_tried(job, core::QuotaId{1}) == !is_group);
    queue.reopen_after(2);
    CHECK(queue.next() == 7);
    CHECK_FALSE(queue.find_violation(
        std::vector<sim::WaitingQueue::Waits>{{7, &job, core::QuotaId{1}, {0, 0, 1}, 10s}}));
}

TEST_CASE("waiting queue: what is kept of kinds nobody waits in changes nothing", "[sim][queue]") {
    // More kinds come and go than are kept; the queue's own check counts each kept kind.
    constexpr std::uint32_t kinds = 40;
    std::vector<sim::Job> jobs;
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
        jobs.push_back(tests::job_of("pod-" + std::to_string(kind), kind + 1, 0s, 10s));
    }
    sim::WaitingQueue queue(sim::Preemptors::single_pods, false);
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t kind = 0; kind < kinds; ++kind) {
            queue.add(jobs[kind], core::QuotaId{1}, {0, 0, kind}, kind, 10s);
            REQUIRE(queue.next() == kind);
            queue.taken();
            REQUIRE_FALSE(queue.next());
            REQUIRE(queue.in_order().empty());
            REQUIRE_FALSE(queue.find_violation(std::vector<sim::WaitingQueue::Waits>{}));
        }
    }
    const sim::Job& last = jobs.back();
    queue.add(last, core::QuotaId{1}, {0, 0, 90}, 90, 10s);
    REQUIRE(queue.next() == 90);
    queue.no_room(true);
    // For a shape without room, only a job that has not looked for victims may still be tried.
    queue.add(last, core::QuotaId{2}, {0, 0, 91}, 91, 10s);
    REQUIRE(queue.may_be_tried(last, core::QuotaId{2}));
    REQUIRE_FALSE(queue.may_be_tried(last, core::QuotaId{1}));
    CHECK_FALSE(queue.find_violation(
        std::vector<sim::WaitingQueue::Waits>{{90, &last, core::QuotaId{1}, {0, 0, 90}, 10s},
                                              {91, &last, core::QuotaId{2}, {0, 0, 91}, 10s}}));
}
