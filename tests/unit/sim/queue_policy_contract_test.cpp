// What holds for every queue policy that is registered, including those added later.

#include <chrono>

#include "tests/support/dice.hpp"
#include "tests/support/queue_run.hpp"

using namespace berth;
using namespace berth::tests;

namespace {

/// Jobs of all sorts, for a run without quotas, or with quotas for a policy that needs them.
std::vector<sim::Job> random_jobs(Dice& dice) {
    std::vector<sim::Job> jobs;
    for (int i = 0; i < 40; ++i) {
        sim::Job job = job_of("job-" + std::to_string(i),
                              dice.roll(1, 8),
                              std::chrono::seconds(dice.roll(0, 60)),
                              std::chrono::seconds(dice.roll(1, 20)));
        if (dice.chance(50)) {
            job.estimate = std::chrono::seconds(dice.roll(1, 30));
        }
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.user = "user-" + std::to_string(dice.roll(0, 3));
        job.quota = dice.chance(50) ? "A" : "B";
        jobs.push_back(job);
    }
    return jobs;
}

sim::Settings settings_for(const sim::QueuePolicy& policy) {
    sim::Settings settings;
    if (policy.owners == sim::OwnerMeasure::dominant_share) {
        sim::QuotaSettings& quotas = settings.quotas.emplace();
        for (const char* name : {"A", "B"}) {
            core::ElasticQuota quota;
            quota.name = name;
            quota.max["units"] = core::Quantity{24} * 1'000'000'000;
            quotas.quotas.push_back(quota);
        }
        quotas.rules.limit = core::QuotaLimit::max;
    }
    return settings;
}

}  // namespace

TEST_CASE("queue policies: they are sorted by name and known by it", "[sim][queue]") {
    CHECK(std::ranges::is_sorted(sim::queue_policies(), {}, &sim::QueuePolicyEntry::name));
    for (const sim::QueuePolicyEntry& entry : sim::queue_policies()) {
        CHECK(sim::queue_policy(entry.name).rank(sim::Job{}, 0) ==
              sim::queue_policy(entry.name).rank(sim::Job{}, 0));
    }
}

TEST_CASE("queue policies: each job has one turn, in every run the same", "[sim][queue]") {
    for (const sim::QueuePolicyEntry& entry : sim::queue_policies()) {
        CAPTURE(entry.name);
        const sim::QueuePolicy policy = sim::queue_policy(entry.name);
        for (std::uint64_t seed = 0; seed < cases(10); ++seed) {
            Dice dice(seed);
            const std::vector<sim::Job> jobs = random_jobs(dice);
            const auto run = [&] {
                return QueueRun(servers_of_units({8, 8, 8}), jobs, policy, settings_for(policy));
            };
            const QueueRun first = run();
            REQUIRE(first.records.size() == jobs.size());
            for (const sim::JobRecord& record : first.records) {
                REQUIRE(record.outcome == sim::Outcome::finished);
                REQUIRE(*record.finish == *record.start + *record.job.duration);
            }
            const QueueRun second = run();
            REQUIRE(first.starts() == second.starts());
            REQUIRE(first.result.fingerprint == second.result.fingerprint);
        }
    }
}

TEST_CASE("queue policies: equal jobs start as they came", "[sim][queue]") {
    for (const sim::QueuePolicyEntry& entry : sim::queue_policies()) {
        CAPTURE(entry.name);
        const sim::QueuePolicy policy = sim::queue_policy(entry.name);
        std::vector<sim::Job> jobs;
        for (int i = 0; i < 30; ++i) {
            jobs.push_back(job_of("job-" + std::to_string(i),
                                  3,
                                  std::chrono::seconds(i / 4),
                                  std::chrono::seconds(10)));
            jobs.back().quota = "A";
            jobs.back().user = "one";
        }
        const QueueRun run(servers_of_units({8, 8}), jobs, policy, settings_for(policy));
        for (std::size_t i = 1; i < run.records.size(); ++i) {
            CHECK(*run.records[i - 1].start <= *run.records[i].start);
        }
    }
}
