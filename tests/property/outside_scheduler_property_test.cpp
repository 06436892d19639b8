// Outside schedulers in random runs: one that decides as a profile does has the profile's schedule,
// and whatever another one tries leads to nothing but a clear error.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/placement/placement_group.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/job/members.hpp"
#include "sim/profile/placer.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/named_scorer.hpp"
#include "tests/support/outside_run.hpp"
#include "tests/support/queue_run.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using core::Members;
using core::PlacedNode;
using sim::SimTime;
using tests::Dice;
using tests::OutsideRun;

namespace {

constexpr int resources = 2;

SimTime random_time(Dice& dice, std::int64_t most) {
    return std::chrono::seconds(dice.roll(0, most));
}

std::vector<sim::Job> random_jobs(Dice& dice, const core::Topology& tree) {
    std::vector<sim::Job> jobs;
    for (std::int64_t i = dice.roll(1, 25); i > 0; --i) {
        sim::Job job = tests::job_of("job-" + std::to_string(i),
                                     dice.roll(0, 3),
                                     random_time(dice, 60),
                                     random_time(dice, 30));
        job.demand.push_back(dice.roll(0, 3));
        job.preemptible = dice.chance(90);
        if (dice.chance(40)) {
            job.group = true;
            job.size = dice.roll(1, 6);
            job.min_available = dice.roll(1, job.size);
            job.constraints = tests::random_constraints(
                dice, static_cast<std::uint32_t>(tree.level_count()), false);
        }
        if (job.group && dice.chance(40)) {
            job.resizes = {{job.submit + random_time(dice, 30), dice.roll(1, 7)}};
        }
        if (dice.chance(30)) {
            job.application = "app-" + std::to_string(dice.roll(0, 1));
            job.per_server_max = dice.roll(1, 3);
        }
        jobs.push_back(std::move(job));
    }
    std::ranges::stable_sort(jobs, {}, &sim::Job::submit);
    return jobs;
}

/// Servers that fail and come back, servers that are absent at first, and drains.
sim::Settings random_settings(Dice& dice, const core::Topology& tree) {
    sim::Settings settings;
    settings.profile.score = tests::by_scorer("first-fit");
    // The greedy solver may find a place because another one was taken, at which a profile does not
    // ask again.
    settings.profile.solver = sim::Solver::exact;
    settings.lost_work = dice.chance(50) ? 1 : 0.5;
    settings.on_failure.keeps_place = dice.chance(50);
    settings.on_failure.give_up_after = static_cast<std::uint32_t>(dice.roll(1, 4));
    if (dice.chance(20)) {
        settings.until = random_time(dice, 80);
    }
    std::set<core::ServerId> taken;
    const auto server = [&]() -> std::optional<core::ServerId> {
        const core::ServerId one{static_cast<std::uint32_t>(
            dice.roll(0, static_cast<std::int64_t>(tree.server_count()) - 1))};
        return taken.insert(one).second ? std::optional(one) : std::nullopt;
    };
    for (std::int64_t i = dice.roll(0, 3); i > 0; --i) {
        if (const auto one = server()) {
            const SimTime at = random_time(dice, 40);
            settings.node_changes.push_back({at, *one, false});
            settings.node_changes.push_back({at + random_time(dice, 20), *one, true});
        }
    }
    std::ranges::stable_sort(settings.node_changes, {}, &sim::NodeChange::at);
    if (const auto one = server(); one && dice.chance(20)) {
        settings.absent = {*one};
    }
    for (std::int64_t i = dice.roll(0, 2); i > 0; --i) {
        if (const auto one = server()) {
            const SimTime at = random_time(dice, 40);
            const std::int64_t seconds = dice.roll(1, 20);
            settings.drains.push_back({at,
                                       at + SimTime(std::chrono::seconds(seconds)),
                                       tree.node_of(*one),
                                       random_time(dice, std::min<std::int64_t>(seconds, 5)),
                                       dice.chance(60)});
        }
    }
    std::ranges::stable_sort(settings.drains, {}, &sim::DrainWindow::at);
    return settings;
}

/// Starts jobs in the order of the list, with the profile's own placer.
class InOrder final : public sim::OutsidePolicy {
public:
    InOrder(const sim::OutsideActions& see, const sim::Profile& profile, bool overtakes)
        : placer_(profile, see.cluster(), false), overtakes_(overtakes) {}

    void decide(sim::OutsideActions& act) override {
        for (const sim::JobId id : act.waiting()) {
            const sim::Job& job = act.job(id).job();
            sim::Attempt attempt = placer_.find(job, job.size);
            if (attempt.found) {
                act.start(id, std::move(attempt.servers));
            } else if (!overtakes_) {
                return;
            }
        }
    }
    [[nodiscard]] std::optional<std::vector<PlacedNode>> resized(const sim::OutsideActions& see,
                                                                 sim::JobId id,
                                                                 Members size) override {
        const sim::JobState& state = see.job(id);
        if (size > state.record.placed && state.is_on_its_way_out()) {
            return std::nullopt;
        }
        sim::Job going_on = state.job();
        const SimTime end = sim::expected_end(state);
        going_on.expected = end == sim::never ? sim::never : std::max(end - see.now(), SimTime(0));
        return placer_.find_resized(
            going_on, size, sim::running_members(state.record, see.cluster().topology()));
    }

private:
    sim::Placer placer_;
    bool overtakes_;
};

/// What became of each job, with its place and times.
class Schedule final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& record) override {
        std::string text = record.job.name + " " + std::string(to_string(record.outcome));
        sim::Stints stints = record.stints;
        std::ranges::stable_sort(stints, {}, [](const sim::Stint& stint) {
            return std::pair(stint.start, stint.server);
        });
        for (const sim::Stint& stint : stints) {
            text += " " + std::to_string(stint.members) + "@" + std::to_string(stint.server.index) +
                    ":" + sim::format_seconds(stint.start) + "-" +
                    (stint.finish ? sim::format_seconds(*stint.finish) : std::string("?"));
        }
        text += " lost " + sim::format_seconds(record.lost);
        tests::at_arrival(jobs, record.arrival) = text;
    }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::vector<std::string> jobs;
};

/// Tries calls at random.
class Chaotic final : public sim::OutsidePolicy {
public:
    Chaotic(const sim::OutsideActions& see, std::uint64_t seed) : see_(see), dice_(seed) {}

    void decide(sim::OutsideActions& act) override {
        for (std::int64_t left = dice_.roll(0, 8); left > 0; --left) {
            try {
                try_something(act);
                ++done;
            } catch (const sim::SchedulerError& error) {
                CHECK(std::string(error.what()).starts_with("at "));
                ++refused;
            }
        }
    }
    [[nodiscard]] std::optional<std::vector<PlacedNode>> resized(const sim::OutsideActions& see,
                                                                 sim::JobId id,
                                                                 Members size) override {
        return dice_.chance(80) ? OutsidePolicy::resized(see, id, size) : std::nullopt;
    }
    void started(sim::JobId id) override { REQUIRE(see_.running().contains(id)); }
    void evicted(sim::JobId id) override { REQUIRE(see_.waiting().contains(id)); }
    void ended(sim::JobId id) override { REQUIRE(!see_.knows(id)); }

    inline static std::uint64_t done = 0;
    inline static std::uint64_t refused = 0;

private:
    void try_something(sim::OutsideActions& act) {
        const sim::JobId id = some_job(act);
        switch (dice_.roll(0, 9)) {
            case 0:
                act.evict(id);
                break;
            case 1:
                act.reject(id, "it was drawn");
                break;
            case 2:
                act.wake(act.now() + SimTime(std::chrono::seconds(dice_.roll(-1, 5))));
                break;
            case 3:
                (void)act.resize(id,
                                 dice_.roll(0, 5),
                                 dice_.chance(50) ? some_servers(act) : where_it_is(act, id));
                break;
            default:
                act.start(id, dice_.chance(70) ? where_it_fits(act, id) : some_servers(act));
        }
    }
    sim::JobId some_job(const sim::OutsideActions& act) {
        const sim::JobOrder& jobs = dice_.chance(70) ? act.waiting() : act.running();
        std::int64_t left = dice_.roll(0, static_cast<std::int64_t>(jobs.size()));
        for (const sim::JobId id : jobs) {
            if (left-- == 0) {
                return id;
            }
        }
        return sim::JobId{static_cast<std::uint32_t>(dice_.roll(0, 30))};
    }
    std::vector<PlacedNode> some_servers(const sim::OutsideActions& act) {
        std::vector<PlacedNode> servers;
        for (std::int64_t left = dice_.roll(0, 3); left > 0; --left) {
            const auto most = static_cast<std::int64_t>(act.cluster().topology().node_count());
            servers.push_back(
                {core::NodeId{static_cast<std::uint32_t>(dice_.roll(0, most))}, dice_.roll(0, 3)});
        }
        return servers;
    }
    /// Places by the free amounts alone.
    static std::vector<PlacedNode> where_it_fits(const sim::OutsideActions& act, sim::JobId id) {
        std::vector<PlacedNode> servers;
        if (!act.knows(id)) {
            return servers;
        }
        const sim::Job& job = act.job(id).job();
        Members left = job.size;
        for (std::size_t server = 0; left > 0 && server < act.free().size() / resources; ++server) {
            Members here = left;
            for (std::size_t r = 0; r < resources; ++r) {
                const core::Amount free = act.free()[server * resources + r];
                here = job.demand[r] == 0 ? here : std::min(here, free / job.demand[r]);
            }
            if (here > 0) {
                const core::ServerId number{static_cast<std::uint32_t>(server)};
                servers.push_back({act.cluster().topology().node_of(number), here});
                left -= here;
            }
        }
        return servers;
    }
    static std::vector<PlacedNode> where_it_is(const sim::OutsideActions& act, sim::JobId id) {
        return act.running().contains(id)
                   ? sim::running_members(act.job(id).record, act.cluster().topology())
                   : std::vector<PlacedNode>();
    }

    const sim::OutsideActions& see_;
    Dice dice_;
};

}  // namespace

TEST_CASE("outside: who decides as a profile does has its schedule", "[sim][outside]") {
    for (std::uint64_t seed = 0; seed < tests::cases(400); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 3, 4, resources);
        const std::vector<sim::Job> jobs = random_jobs(dice, *tree);
        sim::Settings settings = random_settings(dice, *tree);
        const bool overtakes = dice.chance(50);
        settings.profile.queue.overtaking =
            overtakes ? sim::Overtaking::free : sim::Overtaking::none;

        Schedule expected;
        core::Ledger ledger(tree);
        tests::ListSource source(jobs);
        sim::RunControl control;
        const sim::RunResult result =
            sim::Simulation(ledger, source, settings, expected, control).run();

        const OutsideRun run(
            tree,
            jobs,
            [&](const sim::OutsideActions& see) {
                return std::make_unique<InOrder>(see, settings.profile, overtakes);
            },
            settings);
        Schedule got;
        std::ranges::for_each(run.records, [&](const sim::JobRecord& record) { got.job(record); });
        REQUIRE(got.jobs == expected.jobs);
        REQUIRE(run.result.end == result.end);
    }
}

TEST_CASE("outside: whatever a scheduler tries, what is true stays true", "[sim][outside]") {
    for (std::uint64_t seed = 0; seed < tests::cases(400); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 3, 4, resources);
        const std::vector<sim::Job> jobs = random_jobs(dice, *tree);
        sim::Settings settings = random_settings(dice, *tree);
        settings.until = std::min(settings.until, SimTime(std::chrono::seconds(500)));
        const OutsideRun run(
            tree,
            jobs,
            [&](const sim::OutsideActions& see) { return std::make_unique<Chaotic>(see, seed); },
            settings);
        const auto come = std::ranges::count_if(
            jobs, [&](const sim::Job& job) { return job.submit <= settings.until; });
        REQUIRE(std::ssize(run.records) == come);
    }
    CHECK(Chaotic::done > 1000);
    CHECK(Chaotic::refused > 1000);
}
