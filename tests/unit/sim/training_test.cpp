#include "sim/job/training.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "sim/run/simulation.hpp"
#include "tests/support/scripted.hpp"

using namespace berth;
using namespace std::chrono_literals;
using sim::SimTime;

namespace {

constexpr std::int64_t million = sim::one_step;

/// 100 samples a pass; 2 steps a second with 10 samples a step, 1 with 20, 4 apart on type fast.
std::shared_ptr<sim::TrainingPlan> plan_of(std::int64_t steps) {
    auto speeds = std::make_shared<sim::ModelSpeeds>();
    speeds->add({10, 1, "", true}, 2 * million);
    speeds->add({20, 1, "", true}, million);
    speeds->add({10, 1, "fast", false}, 4 * million);
    auto plan = std::make_shared<sim::TrainingPlan>();
    plan->model = "m";
    plan->steps = steps;
    plan->batch_size = 10;
    plan->gpus = 1;
    plan->samples = 100;
    plan->speeds = std::move(speeds);
    return plan;
}

}  // namespace

TEST_CASE("training: time and steps, rounded so that a lease's time does its steps", "[sim]") {
    CHECK(sim::time_for_steps(3 * million, 2 * million) == SimTime(1500ms));
    CHECK(sim::time_for_steps(1, 3) == SimTime(333'333'334));
    CHECK(sim::steps_in(SimTime(333'333'334), 3) == 1);
    CHECK(sim::time_for_steps(INT64_MAX, 1) == sim::never);
}

TEST_CASE("training: the row that says most holds", "[sim]") {
    const sim::Training job(plan_of(10));
    CHECK(job.speed_on("slow", true) == 2 * million);
    CHECK(job.speed_on("slow", false) == 2 * million);
    CHECK(job.speed_on("fast", false) == 4 * million);
}

TEST_CASE("training: a pass that is cut counts as steps, and not as an epoch", "[sim]") {
    auto plan = plan_of(40);
    plan->changes = {{2, 20}};
    sim::Training job(plan);
    job.begin_lease(2 * million);
    CHECK(job.time_of_lease() == SimTime(10s));  // two passes of ten steps
    job.end_lease(SimTime(7s));
    CHECK(job.done() == 14 * million);
    CHECK(job.epoch() == 1);
    job.begin_lease(2 * million);
    CHECK(job.time_of_lease() == SimTime(5s));  // one whole pass more
    CHECK(job.batch_size() == 10);
    job.end_lease(job.time_of_lease());
    CHECK(job.epoch() == 2);
    CHECK(job.batch_size() == 20);
    CHECK(job.total() == 20 * million);
    CHECK(job.done() == 15 * million);  // 24 of 40 steps are three of four passes, rounded up
    CHECK(job.launches() == 2);
    CHECK(job.time_left() == SimTime(5s));
}

TEST_CASE("training: the number of epochs stays when the batch size changes", "[sim]") {
    auto plan = plan_of(95);
    plan->changes = {{1, 30}};
    const_cast<sim::ModelSpeeds&>(*plan->speeds).add({30, 1, "", true}, million);
    sim::Training job(plan);
    job.begin_lease(2 * million);
    job.end_lease(job.time_of_lease());
    // 95 steps of 10 are 10 epochs; 32 steps of 30 would be 8 of 4 steps.
    CHECK(job.total() == 40 * million);
    CHECK(job.done() == 4 * million);
}

TEST_CASE("training: what is left is predicted through all changes", "[sim]") {
    auto plan = plan_of(40);
    plan->changes = {{1, 20}, {3, 10}};
    const sim::Training job(plan);
    // One pass of 5 s, two passes of 5 steps at 1 a second, one more pass of 5 s.
    CHECK(job.time_left() == SimTime(20s));
}
