// Random little runs with preemption by groups and of groups. Which jobs lost a place, and which
// still wait at the end, is compared with what the rules say when they are read plainly.

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <tuple>
#include <vector>

#include "quota_runs.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using namespace berth::tests;
using namespace std::chrono_literals;
using core::Amount;

namespace {

constexpr sim::SimTime the_end = 25s + 500ms;

struct Case {
    std::vector<Amount> servers;
    std::vector<core::ElasticQuota> quotas;
    std::vector<Amount> mins;  ///< The min of quotas `0`, `1`, ...
    Amount max = 0;            ///< The max of each quota.
    std::vector<sim::Job> jobs;
    bool reclaim = false;
};

Case random_case(Dice& dice) {
    Case out;
    for (std::int64_t i = dice.roll(1, 4); i > 0; --i) {
        out.servers.push_back(dice.roll(2, 6));
    }
    const Amount all = std::accumulate(out.servers.begin(), out.servers.end(), Amount{0});
    out.max = dice.roll(all / 2, all);
    for (std::int64_t i = 0; i < 3; ++i) {
        out.mins.push_back(dice.roll(0, std::min(out.max, all / 3)));
        out.quotas.push_back(quota(fmt::to_string(i), out.mins.back(), out.max));
    }
    out.reclaim = dice.chance(70);
    for (std::int64_t i = dice.roll(3, 14); i > 0; --i) {
        const std::string name = fmt::format("j{}", i);
        const std::string owner = fmt::to_string(dice.roll(0, 2));
        const auto at = std::chrono::seconds(dice.roll(0, 24));
        const auto lifetime = std::chrono::seconds(dice.roll(2, 40));
        sim::Job job = pod(name, owner, at, lifetime, dice.roll(1, 4));
        if (dice.chance(50)) {
            const auto size = static_cast<core::Members>(dice.roll(1, 6));
            const auto least = static_cast<core::Members>(dice.roll(1, size));
            job = group(name, owner, at, lifetime, size, least);
            job.demand = {dice.roll(1, 2)};
        }
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(85);
        out.jobs.push_back(std::move(job));
    }
    return out;
}

/// The run at its end.
struct End {
    const Case& of;
    const QuotaRun& run;

    [[nodiscard]] std::vector<const sim::JobRecord*> running() const {
        std::vector<const sim::JobRecord*> out;
        for (const sim::JobRecord& record : run.jobs) {
            if (record.outcome == sim::Outcome::running) {
                out.push_back(&record);
            }
        }
        return out;
    }
    [[nodiscard]] Amount used(const std::string& quota,
                              const std::vector<const sim::JobRecord*>& gone) const {
        Amount sum = 0;
        for (const sim::JobRecord* record : running()) {
            const bool stays = std::ranges::find(gone, record) == gone.end();
            sum += stays && record->job.quota == quota ? held(*record) : 0;
        }
        return sum;
    }
    [[nodiscard]] static Amount held(const sim::JobRecord& record) {
        return record.job.demand[0] * record.placed;
    }
    [[nodiscard]] Amount min_of(const std::string& quota) const {
        return of.mins[static_cast<std::size_t>(std::stoi(quota))];
    }
    /// Whether the job could start with that many members if the given jobs were gone.
    [[nodiscard]] bool could_start(const sim::Job& job,
                                   core::Members members,
                                   const std::vector<const sim::JobRecord*>& gone) const {
        const Amount needs = job.demand[0] * members;
        const Amount fixed = std::accumulate(
            run.jobs.begin(), run.jobs.end(), Amount{0}, [&](Amount sum, const auto& record) {
                const bool counts = record.outcome == sim::Outcome::running &&
                                    !record.job.preemptible && record.job.quota == job.quota;
                return sum + (counts ? held(record) : 0);
            });
        if (used(job.quota, gone) + needs > of.max ||
            (!job.preemptible && fixed + needs > min_of(job.quota))) {
            return false;
        }
        std::vector<Amount> free = of.servers;
        for (const sim::JobRecord* record : running()) {
            for (const sim::Stint& stint : record->stints) {
                if (!stint.finish && std::ranges::find(gone, record) == gone.end()) {
                    free[stint.server.index] -= record->job.demand[0] * stint.members;
                }
            }
        }
        Amount places = 0;
        for (const Amount amount : free) {
            places += amount / job.demand[0];
        }
        return places >= members;
    }
    [[nodiscard]] std::vector<const sim::JobRecord*> own_victims(const sim::Job& job) const {
        std::vector<const sim::JobRecord*> out = running();
        std::erase_if(out, [&](const sim::JobRecord* record) {
            return record->job.quota != job.quota || record->job.priority >= job.priority ||
                   !record->job.preemptible || went_now(*record);
        });
        return out;
    }
    /// The jobs of other quotas that may all go together, if the least important go first and no
    /// job goes whose loss would leave its quota less than its min.
    [[nodiscard]] std::vector<const sim::JobRecord*> borrowers(const sim::Job& job) const {
        std::vector<const sim::JobRecord*> in_order = running();
        std::ranges::sort(in_order, {}, [](const sim::JobRecord* record) {
            const auto ran = the_end - *record->start;
            return std::tuple(record->job.priority,
                              held(*record) * std::chrono::nanoseconds(ran).count(),
                              -record->start->count());
        });
        std::vector<const sim::JobRecord*> out;
        for (const sim::JobRecord* record : in_order) {
            const std::string& quota = record->job.quota;
            if (quota != job.quota && record->job.preemptible && !went_now(*record) &&
                used(quota, out) - held(*record) >= min_of(quota)) {
                out.push_back(record);
            }
        }
        return out;
    }
    /// Whether the job was evicted at the instant at which it last started. No job is preempted
    /// twice at one instant, and that is no reason to ask again later.
    [[nodiscard]] bool went_now(const sim::JobRecord& record) const {
        return std::ranges::any_of(run.evictions, [&](const QuotaRun::Evicted& evicted) {
            return evicted.job == record.job.name && evicted.eviction.at == *record.start;
        });
    }
};

void check_who_waits(const End& end) {
    for (const sim::JobRecord& record : end.run.jobs) {
        if (record.outcome != sim::Outcome::waiting) {
            continue;
        }
        CAPTURE(record.job.name);
        std::vector<const sim::JobRecord*> gone = end.own_victims(record.job);
        REQUIRE(!end.could_start(record.job, record.job.min_available, gone));
        const Amount with_it =
            end.used(record.job.quota, {}) + record.job.demand[0] * record.job.min_available;
        if (end.of.reclaim && with_it <= end.min_of(record.job.quota)) {
            const auto others = end.borrowers(record.job);
            gone.insert(gone.end(), others.begin(), others.end());
            REQUIRE(!end.could_start(record.job, record.job.min_available, gone));
        }
    }
}

bool started_at(const QuotaRun& run, const sim::JobRecord& record, sim::SimTime at) {
    return (record.start && *record.start == at) ||
           std::ranges::any_of(run.evictions, [&](const QuotaRun::Evicted& evicted) {
               return evicted.job == record.job.name &&
                      evicted.eviction.at - evicted.eviction.ran == at;
           });
}

void check_who_went(const End& end, int& reclaimed) {
    for (const auto& [name, eviction] : end.run.evictions) {
        CAPTURE(name, eviction.at.count());
        const sim::JobRecord& victim = end.run.of(name);
        REQUIRE(victim.job.preemptible);
        bool within = false;
        bool across = false;
        for (const sim::JobRecord& other : end.run.jobs) {
            const bool starts = other.job.name != name && started_at(end.run, other, eviction.at);
            const bool same = other.job.quota == victim.job.quota;
            within = within || (starts && same && other.job.priority > victim.job.priority);
            across = across || (starts && !same);
        }
        REQUIRE((within || (end.of.reclaim && across)));
        if (!within) {
            ++reclaimed;
            REQUIRE(end.run.used_at(victim.job.quota, eviction.at) >= end.min_of(victim.job.quota));
        }
    }
}

}  // namespace

TEST_CASE("gang preemption: random runs go by the rules", "[sim][quota][property]") {
    std::size_t evictions = 0;
    int reclaimed = 0;
    for (std::uint64_t seed = 1; seed <= cases(1'500); ++seed) {
        Dice dice(seed);
        const Case one = random_case(dice);
        sim::Settings settings = with_quotas(one.quotas);
        settings.quotas->rules.limit = core::QuotaLimit::max;
        settings.quotas->gang_preemption = {one.reclaim};
        settings.until = the_end;
        CAPTURE(seed);
        const QuotaRun run(servers_of(one.servers), one.jobs, settings);
        const End end{one, run};
        check_who_waits(end);
        check_who_went(end, reclaimed);
        evictions += run.evictions.size();
    }
    CHECK(evictions > 1'000);
    CHECK(reclaimed > 100);
}
