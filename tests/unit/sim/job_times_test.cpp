#include "sim/measure/job_times.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/dice.hpp"

using namespace berth;
using By = sim::JobTimes::By;
using sim::TimeStatistic;

namespace {

constexpr std::array all_statistics{TimeStatistic::wait,
                                    TimeStatistic::completion,
                                    TimeStatistic::slowdown,
                                    TimeStatistic::bounded_slowdown};

std::shared_ptr<const core::Topology> one_server() {
    core::ResourceSchema schema;
    schema.add("nvidia.com/gpu");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 8 * schema.per_unit(0);
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "server", 0);
    return std::make_shared<const core::Topology>(builder.build());
}

/// A job that may have finished, run, waited or been dropped; a group may have lost a member.
sim::JobRecord random_record(tests::Dice& dice, const core::Topology& tree, std::uint64_t arrival) {
    sim::JobRecord record;
    record.arrival = arrival;
    sim::Job& job = record.job;
    job.user = "user-" + std::to_string(dice.roll(1, 3));
    job.submit = sim::SimTime(std::chrono::seconds(arrival));
    job.duration = sim::SimTime(std::chrono::milliseconds(dice.roll(0, 100'000)));
    job.demand = {dice.roll(0, 2) * tree.resources().per_unit(0)};
    job.size = dice.chance(30) ? static_cast<core::Members>(dice.roll(2, 4)) : 1;
    job.group = job.size > 1;
    const std::int64_t what = dice.roll(0, 9);
    if (what == 0) {
        record.outcome = sim::Outcome::dropped;
        return record;
    }
    if (what == 1) {
        return record;
    }
    record.outcome = what == 2 ? sim::Outcome::running : sim::Outcome::finished;
    const sim::SimTime wait(std::chrono::milliseconds(dice.roll(0, 5'000)));
    record.start = job.submit + wait;
    record.finish = what == 2 ? std::nullopt : std::optional(*record.start + *job.duration);
    record.placed = job.size;
    record.numbered = job.size;
    const bool joined = job.size > 1 && dice.chance(50);
    sim::Stint stint{core::ServerId{0}, job.size - (joined ? 1 : 0), *record.start, record.finish};
    record.stints.push_back(stint);
    if (joined) {
        stint.first = job.size - 1;
        stint.members = 1;
        stint.start += std::chrono::seconds(1);
        stint.finish =
            record.finish ? std::optional(std::max(stint.start, *record.finish)) : std::nullopt;
        record.stints.push_back(stint);
    }
    return record;
}

constexpr sim::SimTime end = std::chrono::hours(1000);

/// The sample that JobTimes should have, with the jobs added one by one in the order of arrival.
sim::CensoredSample plain(const std::vector<sim::JobRecord>& records,
                          By by,
                          TimeStatistic statistic) {
    sim::CensoredSample sample;
    for (const sim::JobRecord& record : records) {
        if (by == By::pod) {
            sim::for_each_member(record, [&](const sim::Member& member) {
                add(sample, statistic, sim::times_of(member, record, end), 1);
            });
        } else {
            const std::int64_t gpus = record.job.demand[0] * record.job.size;
            add(sample, statistic, sim::times_of(record, end), by == By::job ? 1 : gpus);
        }
    }
    return sample;
}

void check_equal(const sim::CensoredSample& found, const sim::CensoredSample& wanted) {
    std::vector<sim::Metric> mine{found.mean("")};
    std::vector<sim::Metric> theirs{wanted.mean("")};
    found.add_percentiles(mine, "", {100, 500, 900, 1000});
    wanted.add_percentiles(theirs, "", {100, 500, 900, 1000});
    for (std::size_t i = 0; i < mine.size(); ++i) {
        CHECK(mine[i].value == theirs[i].value);
        CHECK(mine[i].at_least == theirs[i].at_least);
        CHECK(mine[i].spread == theirs[i].spread);
        CHECK(mine[i].never_started == theirs[i].never_started);
    }
}

void check_statistics(const sim::JobTimes& times,
                      By by,
                      TimeStatistic statistic,
                      const std::vector<sim::JobRecord>& records) {
    const std::vector<int> thousandths{500, 990, 1000};
    std::vector<sim::Metric> found;
    std::vector<sim::Metric> wanted;
    times.add_statistics(found, "time", by, statistic, thousandths);
    plain(records, by, statistic).add_statistics(wanted, "time", thousandths);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].name == wanted[i].name);
        CHECK(found[i].value == wanted[i].value);
        CHECK(found[i].at_least == wanted[i].at_least);
        CHECK(found[i].spread == wanted[i].spread);
    }
}

}  // namespace

TEST_CASE("job times: statistics of what is equal are those of what was asked first",
          "[sim][job-times]") {
    const auto tree = one_server();
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        tests::Dice dice(seed);
        const bool all_single = seed % 2 == 0;
        const bool one_user = seed % 4 < 2;
        CAPTURE(seed, all_single, one_user);
        std::vector<sim::JobRecord> records;
        sim::JobTimes times(*tree, {});
        for (std::uint64_t arrival = 0; arrival < 40; ++arrival) {
            sim::JobRecord record = random_record(dice, *tree, arrival);
            while (all_single && record.job.size > 1) {
                record = random_record(dice, *tree, arrival);
            }
            record.job.user = one_user ? "only" : record.job.user;
            records.push_back(record);
            times.submitted(record.job);
            times.recorded(record, end);
            if (arrival % 13 > 1) {
                continue;
            }
            for (int again = 0; again < 2; ++again) {
                for (const By by : {By::job, By::pod}) {
                    for (const TimeStatistic statistic : all_statistics) {
                        check_statistics(times, by, statistic, records);
                    }
                }
            }
        }
        const std::vector<sim::JobTimes::Kind> users = times.kinds(sim::JobTrait::user);
        CHECK(users.front().is_everybody == one_user);
    }
}

TEST_CASE("job times: whatever the order in which jobs end, samples are those of arrival",
          "[sim][job-times]") {
    const auto tree = one_server();
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        std::vector<sim::JobRecord> records;
        for (std::uint64_t arrival = 0; arrival < 60; ++arrival) {
            records.push_back(random_record(dice, *tree, arrival));
        }
        const sim::Window window{std::chrono::seconds(dice.roll(0, 10)),
                                 std::chrono::seconds(dice.roll(40, 80))};
        sim::JobTimes times(*tree, window);
        for (const sim::JobRecord& record : records) {
            times.submitted(record.job);
        }
        std::vector<sim::JobRecord> ended = records;
        std::ranges::stable_sort(ended, {}, [](const auto& one) { return one.arrival * 37 % 61; });
        for (const sim::JobRecord& record : ended) {
            times.recorded(record, end);
        }
        std::erase_if(records, [&](const auto& one) { return !window.counts(one.job.submit); });
        for (const By by : {By::pod, By::job}) {
            for (const TimeStatistic statistic : all_statistics) {
                check_equal(times.sample(by, statistic), plain(records, by, statistic));
            }
        }
        for (const sim::JobTimes::Kind& kind : times.kinds(sim::JobTrait::user)) {
            std::vector<sim::JobRecord> of_user = records;
            std::erase_if(of_user, [&](const auto& one) { return one.job.user != kind.label; });
            CHECK(kind.jobs == of_user.size());
            check_equal(kind.wait, plain(of_user, By::job, TimeStatistic::wait));
        }
    }
}

TEST_CASE("job times: of more than a million jobs only samples are kept", "[sim][job-times]") {
    const auto tree = one_server();
    tests::Dice dice(5);
    std::vector<sim::JobRecord> some;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        some.push_back(random_record(dice, *tree, i));
    }
    sim::JobTimes times(*tree, {});
    sim::CensoredSample waits;
    waits.count_in_buckets();
    std::map<std::string, std::uint64_t> of_user;
    constexpr std::uint64_t jobs = sim::JobTimes::jobs_max + 50'000;
    for (std::uint64_t arrival = 0; arrival < jobs; ++arrival) {
        CHECK_FALSE((times.keeps_samples_only() && arrival <= sim::JobTimes::jobs_max));
        sim::JobRecord& record = some[arrival % some.size()];
        record.arrival = arrival;
        times.submitted(record.job);
        times.recorded(record, end);
        add(waits, TimeStatistic::wait, sim::times_of(record, end), 1);
        ++of_user[record.job.user];
    }
    CHECK(times.keeps_samples_only());
    std::vector<sim::Metric> found;
    std::vector<sim::Metric> wanted;
    times.sample(By::job, TimeStatistic::wait).add_percentiles(found, "", {100, 500, 950});
    waits.add_percentiles(wanted, "", {100, 500, 950});
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].value == wanted[i].value);
    }
    for (const sim::JobTimes::Kind& kind : times.kinds(sim::JobTrait::user)) {
        CHECK(kind.jobs == of_user.at(kind.label));
    }
}
