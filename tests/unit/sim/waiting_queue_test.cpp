// Who is asked again in a cycle, and who is not.

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
