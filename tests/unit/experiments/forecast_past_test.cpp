// What forecasts take from the past: when jobs waited, which come again, and which settings hold.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/forecast/past.hpp"
#include "experiments/program/forecast/past_moments.hpp"
#include "experiments/program/forecast/possible_future.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using experiments::Past;
using experiments::PastJob;
using sim::SimTime;

namespace {

SimTime hours(int count) {
    return std::chrono::hours(count);
}

/// A job that ran from `start` until `end` on a server, or nobody knows where.
PastJob job_of(const std::string& name, SimTime submit, SimTime start, SimTime end, bool placed) {
    PastJob job;
    job.job.name = name;
    job.job.submit = submit;
    job.start = start;
    job.end = end;
    job.finished = true;
    if (placed) {
        job.places.push_back({core::ServerId{0}, 1, start, end});
    }
    return job;
}

/// Jobs that wait and run, are evicted and wait again, or have not ended.
std::vector<PastJob> random_jobs(tests::Dice& dice) {
    std::vector<PastJob> jobs;
    for (int i = 0; i < 40; ++i) {
        const SimTime submit = hours(static_cast<int>(dice.roll(0, 60)));
        const SimTime start = submit + hours(static_cast<int>(dice.roll(0, 20)));
        PastJob job = job_of(std::to_string(i),
                             submit,
                             start,
                             start + hours(static_cast<int>(dice.roll(1, 9))),
                             dice.roll(0, 1) == 0);
        if (dice.roll(0, 4) == 0 && !job.places.empty()) {
            const SimTime again = *job.end + hours(static_cast<int>(dice.roll(0, 5)));
            job.end = again + hours(2);
            job.start = again;
            job.places.push_back({core::ServerId{1}, 1, again, job.end});
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

}  // namespace

TEST_CASE("forecast: a job whose places nobody knows ran from its start to its end",
          "[experiments]") {
    const PastJob job = job_of("a", hours(1), hours(2), hours(4), false);
    CHECK(job.waits(hours(1)));
    CHECK(job.runs(hours(2)));
    CHECK(job.ran(hours(3)) == hours(1));
    CHECK(!job.runs(hours(4)));
    CHECK(!job.waits(hours(4)));
}

TEST_CASE("forecast: counts of waiting jobs are those of all jobs at each instant",
          "[experiments]") {
    tests::Dice dice(58);
    for (int round = 0; round < 50; ++round) {
        const Past past(random_jobs(dice));
        const auto counts = experiments::waiting_counts(past);
        for (int hour = 0; hour < 100; ++hour) {
            const auto after =
                std::ranges::upper_bound(counts, hours(hour), {}, &experiments::WaitingCount::from);
            const std::int64_t counted = after == counts.begin() ? 0 : std::prev(after)->jobs;
            CHECK(counted == std::ranges::count_if(past.jobs(), [&](const PastJob& job) {
                      return job.waits(hours(hour));
                  }));
        }
    }
}

TEST_CASE("forecast: past moments are drawn from those after the first end", "[experiments]") {
    std::vector<PastJob> jobs{job_of("first", hours(0), hours(0), hours(50), true)};
    for (int i = 0; i < 9; ++i) {
        jobs.push_back(job_of("later", hours(0), hours(80), hours(90), true));
    }
    const Past past(std::move(jobs));
    const auto moments = experiments::draw_moments(past, hours(100), 30, 1);
    CHECK(moments.size() == 30);
    CHECK(
        std::ranges::all_of(moments, [](SimTime at) { return at >= hours(50) && at < hours(80); }));
    CHECK(experiments::draw_moments(past, hours(40), 30, 1).empty());
}

TEST_CASE("forecast: jobs come again as on past days, but no proposed and no undated ones",
          "[experiments]") {
    std::vector<PastJob> jobs;
    for (int i = 0; i < 6; ++i) {
        jobs.push_back(job_of("dated", hours(10 * i), hours(10 * i), hours(10 * i + 1), true));
    }
    for (const char* name : {"proposed", "undated"}) {
        PastJob& job = jobs.emplace_back();
        job.job.name = name;
        job.job.submit = hours(72);
        job.proposed = job.job.name == "proposed";
        job.dated = job.job.name != "undated";
    }
    const Past past(std::move(jobs));
    const experiments::PastScores scores;
    const experiments::PossibleFutures futures(past, scores, hours(72), {});
    CHECK(futures.basis().days == 3);
    const auto source = futures.draw(1);
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) {
        names.emplace_back(source->next()->name);
    }
    CHECK(names[0] == "proposed");
    CHECK(names[1] == "undated");
    CHECK(std::ranges::count(names, "dated/again") == 38);
}

TEST_CASE("forecast: Kueue's changes are counted from the moment on", "[experiments]") {
    sim::KueueSettings settings;
    settings.changes = {{hours(1), {}, {}, {}}, {hours(5), {}, {}, {}}};
    CHECK(settings.begun_at(hours(2))->change_times() == std::vector{hours(0), hours(3)});
}
