// Waiting jobs by place and duration, compared with looking at all of them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "sim/queue/duration_index.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using sim::QueueKey;
using sim::SimTime;

namespace {

std::optional<QueueKey> plain_first(const std::map<QueueKey, SimTime>& jobs,
                                    const QueueKey& after,
                                    SimTime most) {
    for (const auto& [place, duration] : jobs) {
        if (place > after && duration <= most) {
            return place;
        }
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("duration index: the first behind a place that runs short enough", "[sim][queue]") {
    tests::Dice dice(11);
    sim::DurationIndex index;
    std::map<QueueKey, SimTime> jobs;
    std::uint64_t number = 0;
    std::size_t most_jobs = 0;
    for (int step = 0; step < 30000; ++step) {
        // The index grows to a thousand jobs or so, and becomes empty again.
        const bool grows = step % 10000 < 5000;
        if (jobs.empty() || dice.chance(grows ? 60 : 30)) {
            const QueueKey place{0, dice.roll(-3, 3), ++number};
            const SimTime duration = dice.chance(5) ? sim::never : SimTime(dice.roll(0, 1000));
            jobs.emplace(place, duration);
            index.add(place, duration);
        } else {
            const auto leaves = std::next(jobs.begin(), dice.roll(0, std::ssize(jobs) - 1));
            index.remove(leaves->first);
            jobs.erase(leaves);
        }
        most_jobs = std::max(most_jobs, jobs.size());
        const QueueKey after{0, dice.roll(-4, 4), static_cast<std::uint64_t>(dice.roll(0, 30000))};
        const SimTime most = dice.chance(10) ? sim::never : SimTime(dice.roll(-1, 30));
        REQUIRE(index.first(after, most) == plain_first(jobs, after, most));
    }
    CHECK(most_jobs > 500);
}
