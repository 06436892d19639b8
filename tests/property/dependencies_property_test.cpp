// Compares jobs that depend on others with the records of the run: each job comes at the first
// instant at which everything that it waits for has happened, and never otherwise.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/dice.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using sim::Dependency;
using sim::SimTime;
using std::chrono::seconds;
using tests::Dice;

namespace {

/// Random jobs, many of which depend on others before or after them in the list, so that some wait
/// forever. Two jobs have the same number if they are tasks of one array.
std::vector<sim::Job> random_jobs(Dice& dice) {
    std::vector<sim::Job> jobs;
    const auto count = static_cast<std::size_t>(dice.roll(2, 12));
    for (std::size_t i = 0; i < count; ++i) {
        sim::Job job = tests::job_of(std::to_string(i),
                                     dice.roll(1, 5),
                                     seconds(dice.roll(0, 20)),
                                     seconds(dice.roll(0, 10)));
        job.estimate = seconds(dice.roll(1, 10));
        job.ties.emplace().numbers = {1 + i / 2};
        jobs.push_back(std::move(job));
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (std::int64_t n = dice.roll(-2, 2); n > 0; --n) {
            const auto other = static_cast<std::size_t>(dice.roll(0, static_cast<int>(count) - 1));
            const std::uint64_t number = 1 + other / 2;
            const std::uint32_t bearers = number * 2 <= count ? 2 : 1;
            jobs[i].ties->after.push_back({"",
                                           number,
                                           bearers,
                                           static_cast<Dependency::On>(dice.roll(0, 2)),
                                           seconds(dice.roll(0, 3))});
        }
    }
    return jobs;
}

/// When a dependency is met, given what became of the jobs; absent: never.
std::optional<SimTime> met_at(const Dependency& one, const std::vector<sim::JobRecord>& records) {
    SimTime latest{};
    for (const sim::JobRecord& record : records) {
        if (record.job.ties->numbers.front() != one.number) {
            continue;
        }
        const bool refused = record.outcome == sim::Outcome::dropped;
        const bool starts = one.on == Dependency::On::start && !refused;
        const auto at = refused ? record.dropped : starts ? record.first_start : record.finish;
        const bool failed = refused || record.stopped_at_limit;
        if (!at || (failed && one.on == Dependency::On::success)) {
            return std::nullopt;
        }
        latest = std::max(latest, SimTime(*at));
    }
    return latest + one.delay;
}

std::optional<SimTime> comes_at(const sim::Job& stated,
                                const std::vector<sim::JobRecord>& records) {
    SimTime latest = stated.submit;
    for (const Dependency& one : stated.ties->after) {
        const auto met = met_at(one, records);
        if (!met) {
            return std::nullopt;
        }
        latest = std::max(latest, *met);
    }
    return latest;
}

}  // namespace

TEST_CASE("dependencies: a job comes when what it waits for has happened", "[sim][property]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(3000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::vector<sim::Job> jobs = random_jobs(dice);
        sim::Settings settings;
        settings.retry = dice.roll(0, 3) > 0;
        if (dice.roll(0, 1) == 1) {
            settings.limit_grace = seconds(dice.roll(0, 2));
        }
        const tests::QueueRun run(tests::servers_of_units({6, 3}),
                                  jobs,
                                  sim::queue_policy(dice.chance(50) ? "fifo" : "easy-backfill"),
                                  settings);
        REQUIRE(run.records.size() == jobs.size());
        for (const sim::Job& stated : jobs) {
            const sim::JobRecord& record = run.of(stated.name);
            CAPTURE(stated.name);
            const auto at = comes_at(stated, run.records);
            if (at) {
                CHECK(record.job.submit == *at);
                CHECK(record.outcome != sim::Outcome::waiting);
            } else {
                CHECK(record.outcome == sim::Outcome::waiting);
                CHECK(record.reason.starts_with("it comes after "));
                CHECK(record.job.submit == run.result.end);
            }
        }
    }
}
