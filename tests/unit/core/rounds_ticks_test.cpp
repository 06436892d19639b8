#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "schedulers/rounds/decide/server_places.hpp"
#include "schedulers/rounds/decide/tick_policy.hpp"
#include "schedulers/rounds/decide/urgency.hpp"

using namespace berth::core::rounds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

/// A clock, and jobs that make a step a second. It asks a policy at each multiple of `tick` whether
/// it decides.
class ToyRun {
public:
    ToyRun(std::unique_ptr<TickPolicy> policy, std::vector<std::int32_t> free, seconds tick)
        : policy_(std::move(policy)), cluster_(free, 8), tick_(tick) {}

    TickSlot come(std::int32_t gpus, std::int64_t steps) {
        TickJob job;
        job.gpus = gpus;
        job.submit = now_;
        job.speed = 1'000'000;
        job.left = steps * job.speed;
        came_.push_back(jobs_.add(job));
        return came_.back();
    }
    void end(TickSlot slot) {
        jobs_.end(slot);
        changed_ = true;
    }
    /// Goes to the next tick. Returns whether it decided.
    bool go_on() {
        now_ += tick_;
        if (!changed_ && came_.empty() && !policy_->wants_to_decide(now_, jobs_)) {
            return false;
        }
        for (const Ranked& one : policy_->order()) {
            TickJob& job = jobs_[one.job];
            if (job.runs) {
                job.left -= (now_ - job.since).count() / 1000;
            }
        }
        policy_->decide(now_, jobs_, came_, cluster_, places_);
        for (const Ranked& one : policy_->order()) {
            TickJob& job = jobs_[one.job];
            job.ran = job.ran_until(now_);
            job.runs = one.placed;
            job.since = now_;
            job.launches += one.placed ? 1 : 0;
        }
        came_.clear();
        changed_ = false;
        return true;
    }
    [[nodiscard]] std::vector<TickSlot> placed() const {
        std::vector<TickSlot> slots;
        for (const std::size_t position : places_.jobs) {
            slots.push_back(policy_->order()[position].job);
        }
        return slots;
    }
    [[nodiscard]] const TickPlaces& places() const { return places_; }
    [[nodiscard]] const TickPolicy& policy() const { return *policy_; }

private:
    std::unique_ptr<TickPolicy> policy_;
    ServerPlaces cluster_;
    nanoseconds tick_;
    nanoseconds now_{};
    TickJobs jobs_;
    std::vector<TickSlot> came_;
    TickPlaces places_;
    bool changed_ = false;
};

using Slots = std::vector<TickSlot>;

}  // namespace

TEST_CASE("rounds: a job gets the first server with room, or whole ones", "[rounds]") {
    ServerPlaces cluster({4, 8, 8, 8}, 8);
    std::vector<Place> places;
    CHECK(cluster.take(2, places));
    CHECK(cluster.take(4, places));   // the first one has 2 left
    CHECK(cluster.take(16, places));  // the wholly free ones
    CHECK(cluster.take(4, places));
    CHECK(cluster.take(2, places));
    CHECK_FALSE(cluster.take(1, places));
    CHECK(places == std::vector<Place>{{0, 2}, {1, 4}, {2, 8}, {3, 8}, {1, 4}, {0, 2}});
    cluster.reset();
    CHECK(cluster.free() == 28);
    CHECK(cluster.fits(24));
    CHECK_FALSE(cluster.fits(25));
    places.clear();
    CHECK(cluster.take(20, places));  // the last server keeps four
    CHECK(places == std::vector<Place>{{1, 8}, {2, 8}, {3, 4}});
    CHECK_FALSE(cluster.take(9, places));
}

TEST_CASE("rounds: places are those of a search from server to server", "[rounds]") {
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 50; ++trial) {
        const auto size = static_cast<std::int32_t>(1 + random() % 8);
        std::vector<std::int32_t> free(1 + random() % 150);
        std::ranges::generate(free, [&] {
            return static_cast<std::int32_t>(random() % (static_cast<std::uint64_t>(size) + 1));
        });
        ServerPlaces cluster(free, size);
        for (int job = 0; job < 300; ++job) {
            const auto gpus =
                static_cast<std::int32_t>(1 + random() % static_cast<std::uint64_t>(size));
            const auto found =
                std::ranges::find_if(free, [&](std::int32_t left) { return left >= gpus; });
            std::vector<Place> places;
            CAPTURE(trial, job, gpus);
            REQUIRE(cluster.take(gpus, places) == (found != free.end()));
            if (found != free.end()) {
                REQUIRE(places.front().server == std::uint32_t(found - free.begin()));
                *found -= gpus;
            }
        }
    }
}

TEST_CASE("rounds: the shortest job comes first, and takes the place of a longer one", "[rounds]") {
    ToyRun run(make_shortest_first(false), {8}, seconds(10));
    const TickSlot longer = run.come(8, 100);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{longer});
    CHECK_FALSE(run.go_on());  // nothing has changed
    const TickSlot equal = run.come(8, 80);
    CHECK(run.go_on());  // the longer one has 80 steps left: it keeps its rank
    CHECK(run.placed() == Slots{longer});
    const TickSlot shorter = run.come(4, 60);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{shorter});
    CHECK(run.policy().order()[1].job == longer);  // 70 steps
    CHECK(run.policy().missed_turns(8)[1].free == 4);
    CHECK_FALSE(run.policy().missed_turns(8)[1].lost_place);
    run.end(shorter);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{longer});
    CHECK(run.policy().order().size() == 2);
    CHECK(run.policy().order()[1].job == equal);
}

TEST_CASE("rounds: the number of GPUs multiplies the remaining time", "[rounds]") {
    ToyRun run(make_shortest_first(true), {8}, seconds(10));
    const TickSlot wide = run.come(8, 20);
    const TickSlot narrow = run.come(1, 100);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{narrow});
    CHECK(run.policy().order()[1].job == wide);
}

TEST_CASE("rounds: jobs leave a queue once they have had its GPU time", "[rounds]") {
    ToyRun run(make_least_attained({seconds(80), seconds(320)}), {8}, seconds(10));
    const TickSlot first = run.come(8, 1000);
    CHECK(run.go_on());
    const TickSlot second = run.come(4, 1000);
    CHECK(run.go_on());  // the first one has had 8 x 10 s: it goes to the second queue
    CHECK(run.placed() == Slots{second});
    CHECK_FALSE(run.go_on());
    CHECK(run.go_on());  // so does the second one, after 4 x 20 s: behind the first
    CHECK(run.placed() == Slots{first});
    CHECK_FALSE(run.go_on());
    CHECK_FALSE(run.go_on());
    CHECK(run.go_on());  // 8 x 40 s: the last queue
    CHECK(run.placed() == Slots{second});
    // In a queue, who ran comes before who waited.
    const TickSlot third = run.come(8, 1000);
    const TickSlot fourth = run.come(8, 1000);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{third});
    run.end(third);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{fourth});
}

TEST_CASE("rounds: fairness at ticks puts those first that were never launched", "[rounds]") {
    ToyRun run(make_tick_fairness(8, seconds(10)), {8}, seconds(10));
    const TickSlot first = run.come(8, 1000);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{first});
    const TickSlot second = run.come(4, 1000);
    const TickSlot third = run.come(4, 1000);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{second, third});
    CHECK(run.policy().order()[2].job == first);
}

TEST_CASE("rounds: chosen jobs are placed anew, the largest first", "[rounds]") {
    ToyRun run(make_tick_fairness(16, seconds(10)), {8, 8}, seconds(10));
    const TickSlot small = run.come(1, 10);
    const TickSlot large = run.come(8, 10'000);
    CHECK(run.go_on());
    CHECK(run.placed() == Slots{large, small});
    CHECK(run.places().places == std::vector<Place>{{0, 8}, {1, 1}});
}

TEST_CASE("rounds: jobs come in the order of their urgency", "[rounds]") {
    std::mt19937_64 random(3);
    for (std::size_t jobs = 0; jobs < 3000; jobs = 3 * jobs + 1) {
        // Some jobs are equal in all but their position, and some have no share at all.
        std::vector<Urgency> sorted;
        for (std::size_t i = 0; i < jobs; ++i) {
            const double share = double(random() % 100) / 100;
            const double turns = random() % 2 == 0 ? share * 1e9 : share / double(random() % 7 + 1);
            sorted.push_back({turns, double(random() % 5) - 2, share, i});
        }
        std::vector<Urgency> elements = sorted;
        std::sort(sorted.begin(), sorted.end());
        sort_by_urgency(elements);
        CAPTURE(jobs);
        REQUIRE(std::ranges::equal(elements, sorted, {}, &Urgency::was, &Urgency::was));
    }
}
