// An asked scheduler that is told what happens in a run decides as in that run.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/job/members.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/asked_run.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"
#include "tests/support/queue_run.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using sim::SimTime;
using tests::Dice;
using tests::Start;

namespace {

SimTime random_time(Dice& dice, std::int64_t most) {
    return std::chrono::seconds(dice.roll(0, most));
}

std::vector<sim::Job> random_jobs(Dice& dice, const core::Topology& tree) {
    std::vector<sim::Job> jobs;
    for (std::int64_t i = dice.roll(1, 40); i > 0; --i) {
        sim::Job job = tests::job_of("job-" + std::to_string(i),
                                     dice.roll(0, 3),
                                     random_time(dice, 60),
                                     random_time(dice, 30));
        job.demand.push_back(dice.roll(0, 3));
        job.user = "user-" + std::to_string(dice.roll(0, 2));
        job.priority = static_cast<std::int32_t>(dice.roll(0, 2));
        if (dice.chance(50)) {
            job.estimate = random_time(dice, 40);
        }
        if (dice.chance(40)) {
            job.group = true;
            job.size = dice.roll(1, 6);
            job.min_available = dice.roll(1, job.size);
            job.constraints = tests::random_constraints(
                dice, static_cast<std::uint32_t>(tree.level_count()), false);
        }
        jobs.push_back(std::move(job));
    }
    std::ranges::stable_sort(jobs, {}, &sim::Job::submit);
    return jobs;
}

std::vector<sim::NodeChange> random_changes(Dice& dice, const core::Topology& tree) {
    std::vector<sim::NodeChange> changes;
    std::set<std::uint32_t> taken;
    for (std::int64_t i = dice.roll(0, 3); i > 0; --i) {
        const auto server = static_cast<std::uint32_t>(dice.roll(0, tree.server_count() - 1));
        if (taken.insert(server).second) {
            const SimTime at = random_time(dice, 40);
            changes.push_back({at, core::ServerId{server}, false});
            changes.push_back(
                {at + std::chrono::seconds(dice.roll(1, 20)), core::ServerId{server}, true});
        }
    }
    std::ranges::stable_sort(changes, {}, &sim::NodeChange::at);
    return changes;
}

sim::Settings random_settings(Dice& dice) {
    sim::Settings settings;
    const auto policies = sim::queue_policies();
    const auto& policy = policies[static_cast<std::size_t>(
        dice.roll(0, static_cast<std::int64_t>(policies.size()) - 1))];
    const bool by_quotas = policy.name == "drf";
    settings.profile.queue = sim::queue_policy(by_quotas ? "fifo" : policy.name);
    settings.profile.score = tests::by_scorer("first-fit");
    settings.period = dice.chance(30) ? SimTime(std::chrono::seconds(7)) : SimTime(0);
    settings.retry = dice.chance(90);
    settings.on_failure.keeps_place = dice.chance(50);
    settings.on_failure.give_up_after = static_cast<std::uint32_t>(dice.roll(1, 4));
    settings.on_failure.shrinks = dice.chance(30);
    settings.on_failure.replaces = settings.on_failure.shrinks && dice.chance(50);
    return settings;
}

/// Collects every start of a run.
class Starts final : public sim::RecordSink {
public:
    explicit Starts(const core::Topology& tree) : tree_(tree) {}

    void job(const sim::JobRecord& record) override {
        if (record.start) {
            add(record);
        }
        const bool refused =
            record.outcome == sim::Outcome::rejected || record.outcome == sim::Outcome::dropped;
        if (refused) {
            rejected.insert(record.job.name);
        }
    }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& /*eviction*/) override {
        add(record);
    }

    std::vector<Start> starts;
    std::set<std::string> rejected;

private:
    void add(const sim::JobRecord& record) {
        std::vector<std::pair<std::uint32_t, int>> servers;
        for (const sim::Stint& stint : record.stints) {
            servers.emplace_back(tree_.node_of(stint.server).index,
                                 static_cast<int>(stint.members));
        }
        std::ranges::sort(servers);
        starts.emplace_back(record.job.name, record.stints.front().start, std::move(servers));
    }

    const core::Topology& tree_;
};

}  // namespace

TEST_CASE("property: a scheduler that is asked decides as in the run", "[property][asked]") {
    std::size_t starts = 0;
    std::size_t rejected = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 3, 6, 2);
        const std::vector<sim::Job> jobs = random_jobs(dice, *tree);
        sim::Settings settings = random_settings(dice);
        const std::vector<sim::NodeChange> changes = random_changes(dice, *tree);

        tests::AskedRun asked(tree, jobs, changes, settings);
        if (asked.violation) {
            FAIL(asked.violation->invariant << ": " << asked.violation->where);
        }
        settings.node_changes = changes;
        Starts run(*tree);
        core::Ledger ledger(tree);
        tests::ListSource source(jobs);
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, run, control).run();

        std::ranges::sort(asked.starts);
        std::ranges::sort(run.starts);
        REQUIRE(asked.starts == run.starts);
        REQUIRE(asked.rejected == run.rejected);
        starts += run.starts.size();
        rejected += run.rejected.size();
    }
    CHECK(starts > 10'000);
    CHECK(rejected > 100);
}

TEST_CASE("property: who is withdrawn leaves sound books behind", "[property][asked]") {
    std::size_t withdrawn = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 3, 6, 2);
        const std::vector<sim::Job> jobs = random_jobs(dice, *tree);
        const sim::Settings settings = random_settings(dice);
        std::multimap<SimTime, std::uint64_t> withdrawn_at;
        for (std::uint64_t job = 0; job < jobs.size(); ++job) {
            if (dice.chance(30)) {
                withdrawn_at.emplace(jobs[job].submit + random_time(dice, 30), job);
            }
        }
        tests::AskedRun asked(tree, jobs, random_changes(dice, *tree), settings, withdrawn_at);
        if (asked.violation) {
            FAIL(asked.violation->invariant << ": " << asked.violation->where);
        }
        for (const std::string& name : asked.withdrawn) {
            CHECK_FALSE(asked.rejected.contains(name));
        }
        withdrawn += asked.withdrawn.size();
    }
    CHECK(withdrawn > 500);
}
