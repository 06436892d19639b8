// When there is room for a job: the answer that is carried on from question to question is compared
// with looking at every server at every time.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/backfill/reservation_plan.hpp"
#include "sim/backfill/timetable.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using core::Members;
using core::ServerId;
using sim::JobId;
using sim::SimTime;
using tests::Dice;

namespace {

constexpr std::uint32_t servers = 9;

/// A cluster on which random jobs run and have promises.
class RandomTable {
public:
    explicit RandomTable(std::uint64_t seed)
        : dice(seed),
          ledger_(tests::servers_of_units(std::vector<core::Amount>(servers, 8))),
          cluster_(ledger_, {}),
          table(cluster_) {}

    void start() {
        const ServerId server{static_cast<std::uint32_t>(dice.roll(0, servers - 1))};
        const Members units = dice.roll(1, 6);
        if (ledger_.available(ledger_.topology().node_of(server))[0] < units) {
            return;
        }
        const sim::Job job = tests::job_of("job", units, SimTime(0), SimTime(0));
        ledger_.claim(server, job.demand, 1);
        const SimTime end = now + SimTime(dice.roll(0, 300));
        table.runs(JobId{next_}, job, {server, 1, now, std::nullopt}, end);
        running_.emplace(JobId{next_++}, Runs{server, units, end});
    }
    /// A job leaves: when it is expected to, before or after.
    void stop() {
        if (running_.empty()) {
            return;
        }
        now += SimTime(dice.roll(0, 3));  // the table has not been told yet
        const auto leaves = std::next(running_.begin(), dice.roll(0, std::ssize(running_) - 1));
        const std::vector<core::Amount> amounts{leaves->second.units};
        ledger_.release(leaves->second.server, amounts, 1);
        if (table.stops(leaves->first, leaves->second.server, now)) {
            table.note_freed(leaves->second.server);
        }
        running_.erase(leaves);
    }
    void promise() {
        const ServerId server{static_cast<std::uint32_t>(dice.roll(0, servers - 1))};
        const sim::Job job = tests::job_of("job", dice.roll(1, 6), SimTime(0), SimTime(0));
        const SimTime from = now + SimTime(dice.roll(1, 200));
        const SimTime to = from + SimTime(dice.roll(0, 100));
        table.promise(JobId{next_}, job, server, 1, {}, from, to);
        promised_.emplace(JobId{next_++}, server);
    }
    void take_back() {
        if (!promised_.empty()) {
            const auto [id, server] = *promised_.begin();
            table.take_back(id, server);
            table.note_freed(server);
            promised_.erase(promised_.begin());
        }
    }
    void go_on() {
        now += SimTime(dice.roll(0, 6));
        table.set_now(now);
    }
    /// All times at which anything may change.
    [[nodiscard]] std::set<SimTime> times() {
        std::set<SimTime> all{now};
        for (std::uint32_t server = 0; server < servers; ++server) {
            for (const SimTime time : table.at(server).times) {
                if (time > now) {
                    all.insert(time);
                }
            }
        }
        return all;
    }
    /// How many members fit on a server from time `at` on, for `time`.
    [[nodiscard]] Members fit(std::uint32_t server, core::Amount units, SimTime at, SimTime time) {
        const sim::Timetable::Place& here = table.at(server);
        const std::size_t begin = here.step_at(at);
        std::vector<core::Amount> least(1);
        table.least_free(here, begin, here.steps_until(sim::after(at, time), begin), least);
        return std::max<Members>(core::fit_of(least, {{units}}), 0);
    }

    Dice dice;

private:
    struct Runs {
        ServerId server;
        Members units = 0;
        SimTime end{};
    };
    core::Ledger ledger_;
    sim::Cluster cluster_;
    std::map<JobId, Runs> running_;
    std::map<JobId, ServerId> promised_;
    std::uint32_t next_ = 0;

public:
    sim::Timetable table;
    SimTime now{};
};

}  // namespace

TEST_CASE("backfill: room that grows is found as by looking everywhere", "[sim][backfill]") {
    int later = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(20); ++seed) {
        CAPTURE(seed);
        RandomTable random(seed);
        sim::Job pod = tests::job_of("pod", random.dice.roll(3, 8), SimTime(0), SimTime(5));
        sim::Job group = tests::job_of("group", 2, SimTime(0), SimTime(5));
        group.size = 12;
        group.min_available = random.dice.roll(5, 12);
        sim::GrowingRoom of_pod(random.table, pod, 1);
        sim::GrowingRoom of_group(random.table, group, group.size);
        for (int step = 0; step < 300; ++step) {
            random.dice.chance(75) ? random.start() : random.stop();
            random.go_on();
            for (const auto& [room, job] : {std::pair(&of_pod, &pod), {&of_group, &group}}) {
                if (random.dice.chance(30)) {
                    continue;  // the job is not asked about each time
                }
                std::optional<SimTime> expected;
                std::vector<ServerId> with_room;
                for (const SimTime at : random.times()) {
                    Members all = 0;
                    with_room.clear();
                    for (std::uint32_t server = 0; server < servers; ++server) {
                        const Members fit = random.fit(server, job->demand[0], at, SimTime(5));
                        all += std::min(fit, job->size);
                        if (fit > 0) {
                            with_room.push_back(ServerId{server});
                        }
                    }
                    if (all >= job->min_available) {
                        expected = at;
                        break;
                    }
                }
                REQUIRE(room->go_to_first() == expected.has_value());
                REQUIRE((!expected || room->at() == *expected));
                REQUIRE((!expected || job->size > 1 || room->first_servers() == with_room));
                later += expected && *expected > random.now ? 1 : 0;
            }
        }
    }
    CHECK(later > 500);
}

TEST_CASE("backfill: the first time beside promises is found as by looking everywhere",
          "[sim][backfill]") {
    int later = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(20); ++seed) {
        CAPTURE(seed);
        RandomTable random(seed);
        std::map<std::pair<core::Amount, SimTime>, sim::FirstTimes> known;
        for (int step = 0; step < 300; ++step) {
            const std::int64_t what = random.dice.roll(1, 100);
            what < 50   ? random.start()
            : what < 60 ? random.stop()
            : what < 90 ? random.promise()
                        : random.take_back();
            random.go_on();
            const core::Amount units = random.dice.roll(1, 8);
            const SimTime duration =
                random.dice.chance(5) ? sim::never : SimTime(random.dice.roll(0, 100));
            const SimTime from = random.now + SimTime(random.dice.roll(0, 10));
            const SimTime shortest = sim::shortest_alike(duration);
            auto& times =
                known.try_emplace({units, shortest}, random.table, std::vector{units}, shortest)
                    .first->second;
            sim::FirstTimes::Found expected;
            std::set<SimTime> all = random.times();
            all.insert(from);
            for (const SimTime at : all) {
                for (std::uint32_t server = 0; at >= from && server < servers; ++server) {
                    if (random.fit(server, units, at, duration) > 0) {
                        expected.at = at;
                        expected.servers.push_back(ServerId{server});
                    }
                }
                if (!expected.servers.empty()) {
                    break;
                }
            }
            const sim::FirstTimes::Found found = times.find(duration, from);
            REQUIRE(found.at == expected.at);
            REQUIRE(found.servers == expected.servers);
            later += found.at > from ? 1 : 0;
        }
    }
    CHECK(later > 300);
}

TEST_CASE("backfill: pods that run about as long are alike", "[sim][backfill]") {
    for (std::int64_t length = 0; length < 5000; ++length) {
        const SimTime shortest = sim::shortest_alike(SimTime(length));
        REQUIRE(shortest <= SimTime(length));
        REQUIRE(5 * shortest >= SimTime(4 * length));
        REQUIRE(sim::shortest_alike(shortest) == shortest);
    }
    CHECK(sim::shortest_alike(SimTime(1023)) == SimTime(896));
    CHECK(sim::shortest_alike(sim::never) < sim::never);
}
