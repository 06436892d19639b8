#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedulers/rounds/decide/lease_order.hpp"
#include "schedulers/rounds/decide/lease_policy.hpp"
#include "schedulers/rounds/decide/worker_choice.hpp"

using namespace berth::core::rounds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

/// As many jobs as there are entries in `gpus`, which ran this long in leases that are
/// over, and in the present one.
ActiveJobs active(const std::vector<std::int32_t>& gpus,
                  const std::vector<int>& ran,
                  const std::vector<int>& running) {
    ActiveJobs jobs;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        jobs.number.push_back(static_cast<std::uint32_t>(i));
        jobs.gpus.push_back(gpus[i]);
        jobs.speed.push_back(1'000'000);
        jobs.left.push_back(1'000'000'000);
        jobs.age.emplace_back(0);
        jobs.ran.emplace_back(seconds(ran[i]));
        jobs.running.emplace_back(seconds(running[i]));
    }
    return jobs;
}

using Order = std::vector<std::size_t>;

}  // namespace

TEST_CASE("rounds: the job comes first that had the least time for its share", "[rounds]") {
    LeaseOrder order(seconds(60));
    ActiveJobs jobs = active({1, 1, 1}, {0, 0, 0}, {0, 0, 0});
    order.take(jobs, {0.5, 0.5, 0});
    CHECK(order.order(seconds(0), jobs) == Order{0, 1, 2});  // a tie, and one without a share
    // The first one runs: 0.5 / 120 against 0.5 / 60.
    jobs = active({1, 1, 1}, {0, 0, 0}, {60, 0, 0});
    CHECK(order.order(seconds(60), jobs) == Order{1, 0, 2});
    jobs = active({1, 1, 1}, {120, 0, 0}, {0, 60, 0});
    CHECK(order.order(seconds(180), jobs) == Order{1, 0, 2});
}

TEST_CASE("rounds: what jobs lacked counts from the next reset on", "[rounds]") {
    LeaseOrder order(seconds(60));
    ActiveJobs jobs = active({1, 1}, {0, 0}, {0, 0});
    order.take(jobs, {0.5, 0.5});
    CHECK(order.order(seconds(0), jobs) == Order{0, 1});  // resets for the first time
    // New shares, but too early for a reset: the first one had 600 s, the other none.
    jobs = active({1, 1}, {600, 0}, {0, 0});
    order.take(jobs, {0.9, 0.1});
    CHECK(order.order(seconds(600), jobs) == Order{1, 0});  // 0.9 / 660 < 0.1 / 60
    // At 1 000 s all begin with 60 s again: 0.9 / 60 > 0.1 / 60.
    CHECK(order.order(seconds(1000), jobs) == Order{0, 1});
    // With equal shares, the second one comes first: it lacked 0.1 x 1 000 s, while the first one
    // had 600 s of its 900 s and lacks 300 s; so the first one comes first.
    order.take(jobs, {0.5, 0.5});
    CHECK(order.order(seconds(1100), jobs) == Order{0, 1});
}

TEST_CASE("rounds: a reset may come while there are no jobs", "[rounds]") {
    LeaseOrder order(seconds(60));
    ActiveJobs jobs = active({1, 1}, {0, 0}, {0, 0});
    order.take(jobs, {0.5, 0.5});
    CHECK(order.order(seconds(0), jobs) == Order{0, 1});  // resets for the first time
    order.take(jobs, {0.5, 0.5});
    // Orders at 900 s, 1 020 s and so on: that at 1 020 s is the first one 1 000 s later.
    order.rest(seconds(900), seconds(120), seconds(1500));
    jobs = active({1, 1}, {600, 0}, {0, 0});
    order.take(jobs, {0.9, 0.1});
    CHECK(order.order(seconds(1500), jobs) == Order{1, 0});  // 0.9 / 660 < 0.1 / 60
    CHECK(order.order(seconds(2020), jobs) == Order{0, 1});
}

TEST_CASE("rounds: a process that goes on is counted when it ends", "[rounds]") {
    LeaseOrder order(seconds(60));
    ActiveJobs jobs = active({1, 1}, {0, 0}, {0, 0});
    order.take(jobs, {0.5, 0.5});
    static_cast<void>(order.order(seconds(0), jobs));
    // At the reset at 1 000 s, the second one has run for 1 000 s in one lease, which does not
    // count yet: both lack 500 s, and both begin with 60 s again.
    jobs = active({1, 1}, {0, 0}, {0, 1000});
    order.take(jobs, {0.5, 0.5});
    CHECK(order.order(seconds(1000), jobs) == Order{0, 1});
    // While it goes on, its time since the reset counts; afterwards, all of it.
    jobs = active({1, 1}, {300, 0}, {0, 1300});
    CHECK(order.order(seconds(1300), jobs) == Order{0, 1});  // 360 s each
    jobs = active({1, 1}, {300, 1300}, {0, 0});
    CHECK(order.order(seconds(1300), jobs) == Order{0, 1});  // 360 s against 1 360 s
    jobs = active({1, 1}, {1000, 1300}, {0, 0});
    CHECK(order.order(seconds(2000), jobs) == Order{0, 1});
    jobs = active({1, 1}, {1400, 1300}, {0, 0});
    CHECK(order.order(seconds(2400), jobs) == Order{1, 0});
}

TEST_CASE("rounds: jobs that do not fit are skipped", "[rounds]") {
    const std::vector<Turn> turns = take_turns({2, 4, 1, 1, 1}, {1, 0, 2, 3, 4}, 5);
    std::vector<std::int64_t> free;
    Order fit;
    for (const Turn& turn : turns) {
        free.push_back(turn.free);
        if (turn.fits) {
            fit.push_back(turn.job);
        }
    }
    CHECK(fit == Order{1, 2});
    CHECK(free == std::vector<std::int64_t>{5, 1, 1, 0, 0});
}

TEST_CASE("rounds: large jobs choose first, and equal ones keep their GPUs", "[rounds]") {
    std::vector<Scheduled> jobs{{0, 1, {}}, {1, 1, {5}}, {2, 2, {0, 1}}, {3, 2, {}}, {4, 1, {3}}};
    choose_workers(jobs, std::vector<bool>(8, true));
    // Job 2 keeps its two GPUs, job 3 gets the next two, so that job 4 loses the one that it had.
    CHECK(jobs[2].workers == Workers{0, 1});
    CHECK(jobs[3].workers == Workers{2, 3});
    CHECK(jobs[1].workers == Workers{5});
    CHECK(jobs[0].workers == Workers{4});
    CHECK(jobs[4].workers == Workers{6});
    // A job of two GPUs gets none if one is left.
    std::vector<Scheduled> two{{0, 2, {}}, {1, 1, {}}};
    choose_workers(two, {false, false, true});
    CHECK(two[0].workers.empty());
    CHECK(two[1].workers == Workers{2});
}

TEST_CASE("rounds: every policy of leases keeps shares between 0 and 1", "[rounds]") {
    const ActiveJobs jobs = active({1, 2, 4, 1, 1}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0});
    for (const std::string& name : lease_policies()) {
        const LeasePolicy policy = make_lease_policy(name, 4);
        const Shares shares = policy(jobs);
        CAPTURE(name);
        REQUIRE(shares.size() == jobs.size());
        for (const double share : shares) {
            CHECK(share >= 0);
            CHECK(share <= 1);
        }
    }
}
