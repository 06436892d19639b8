#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/run/packed_jobs.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using experiments::PackedJobs;
using sim::SimTime;

namespace {

/// A pod that ran once, from its start to its end.
sim::JobRecord ran(std::string name, SimTime submit, SimTime wait, SimTime run) {
    sim::JobRecord record;
    record.job.name = std::move(name);
    record.job.submit = submit;
    record.job.demand = {2, 8};
    record.job.duration = run;
    record.outcome = sim::Outcome::finished;
    record.start = submit + wait;
    record.finish = submit + wait + run;
    record.placed = 1;
    record.numbered = 1;
    record.stints = {{core::ServerId{7}, 1, *record.start, record.finish}};
    return record;
}

void check_same(const sim::JobRecord& one, const sim::JobRecord& other) {
    CHECK(one.job.name == other.job.name);
    CHECK(one.job.submit == other.job.submit);
    CHECK(one.job.demand == other.job.demand);
    CHECK(one.job.duration == other.job.duration);
    CHECK(one.job.estimate == other.job.estimate);
    CHECK(one.job.quota == other.job.quota);
    CHECK(one.job.user == other.job.user);
    CHECK(one.job.job_class == other.job.job_class);
    CHECK(one.job.type == other.job.type);
    CHECK(one.job.priority == other.job.priority);
    CHECK(one.start == other.start);
    CHECK(one.finish == other.finish);
    CHECK(one.outcome == other.outcome);
    CHECK(one.placed == other.placed);
    REQUIRE(one.stints.size() == other.stints.size());
    CHECK(one.stints[0].server == other.stints[0].server);
    CHECK(one.stints[0].start == other.stints[0].start);
    CHECK(one.stints[0].finish == other.stints[0].finish);
}

}  // namespace

TEST_CASE("packed jobs: what was packed comes back, whatever its kind and times", "[packed]") {
    PackedJobs jobs{sim::Settings()};
    tests::Dice dice(3);
    std::vector<std::pair<sim::JobRecord, std::string>> packed;
    for (int i = 0; i < 500; ++i) {
        // Numbers of any length.
        const auto time = [&] {
            return SimTime(std::numeric_limits<std::int64_t>::max() >> dice.roll(2, 63));
        };
        sim::JobRecord record = ran("job-" + std::to_string(i), time(), SimTime(0), time());
        record.stints[0].server.index = static_cast<std::uint32_t>(dice.roll(0, 1'000'000));
        record.job.priority = static_cast<std::int32_t>(dice.roll(-1, 1));
        record.job.demand[1] = dice.roll(1, 3);
        record.job.user = dice.roll(0, 1) == 0 ? "ann" : "";
        record.job.quota = dice.roll(0, 1) == 0 ? "team" : "";
        record.job.job_class = dice.roll(0, 1) == 0 ? "ann" : "";
        record.job.type = dice.roll(0, 1) == 0 ? "small" : "";
        if (dice.roll(0, 1) == 0) {
            record.job.estimate = time();
        }
        if (dice.roll(0, 1) == 0) {
            record.job.duration = time();
        }
        std::string text = "before ";
        REQUIRE(jobs.pack(record, text));
        CHECK(text.size() < 90);
        packed.emplace_back(std::move(record), text.substr(7));
    }
    for (const auto& [record, text] : packed) {
        check_same(jobs.unpack(text).record, record);
    }
}

TEST_CASE("packed jobs: a job of which tables tell more is not packed", "[packed]") {
    PackedJobs jobs{sim::Settings()};
    const sim::JobRecord plain = ran("a", SimTime(1), SimTime(2), SimTime(3));
    std::vector<sim::JobRecord> more;
    const auto with = [&](auto change) {
        more.push_back(plain);
        change(more.back());
    };
    with([](sim::JobRecord& r) { r.job.group = true; });
    with([](sim::JobRecord& r) { r.job.size = 2; });
    with([](sim::JobRecord& r) { r.outcome = sim::Outcome::running; });
    with([](sim::JobRecord& r) { r.stints.clear(); });
    with([](sim::JobRecord& r) { r.stints.push_back(r.stints[0]); });
    with([](sim::JobRecord& r) { r.numbered = 2; });
    with([](sim::JobRecord& r) { r.placed = 0; });
    with([](sim::JobRecord& r) { r.pasts.resize(1); });
    with([](sim::JobRecord& r) { r.evictions[0] = 1; });
    with([](sim::JobRecord& r) { r.reason = "why"; });
    with([](sim::JobRecord& r) { r.stints[0].members = 2; });
    with([](sim::JobRecord& r) { r.stints[0].grants.resize(1); });
    with([](sim::JobRecord& r) { r.stints[0].start = SimTime(4); });
    with([](sim::JobRecord& r) { r.stints[0].finish.reset(); });
    with([](sim::JobRecord& r) { r.stints[0].work = SimTime(1); });
    with([](sim::JobRecord& r) { r.stints[0].lost = SimTime(1); });
    with([](sim::JobRecord& r) { r.stints[0].run_time_factor = 2 * sim::slow_down_unit; });
    with([](sim::JobRecord& r) { r.ran_before = SimTime(1); });
    with([](sim::JobRecord& r) { r.lost = SimTime(1); });
    with([](sim::JobRecord& r) { r.job.duration.reset(); });
    for (std::size_t i = 0; i < more.size(); ++i) {
        CAPTURE(i);
        std::string text = "before";
        CHECK_FALSE(jobs.pack(more[i], text));
        CHECK(text == "before");
    }
    std::string text;
    CHECK(jobs.pack(plain, text));

    sim::Settings hangs;
    hangs.detection = SimTime(1);
    CHECK_FALSE(PackedJobs(hangs).pack(plain, text));
}

TEST_CASE("packed jobs: of more kinds than are kept the others are not packed", "[packed]") {
    PackedJobs jobs{sim::Settings()};
    sim::JobRecord record = ran("a", SimTime(1), SimTime(2), SimTime(3));
    std::string text;
    for (std::size_t kind = 0; kind <= PackedJobs::kinds_max; ++kind) {
        record.job.user = std::to_string(kind);
        CHECK(jobs.pack(record, text) == (kind < PackedJobs::kinds_max));
    }
    record.job.user = "0";
    CHECK(jobs.pack(record, text));
}
