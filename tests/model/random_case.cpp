#include "tests/model/random_case.hpp"

#include <algorithm>
#include <chrono>

#include "tests/model/one_of.hpp"
#include "tests/model/random_devices.hpp"
#include "tests/model/random_gpus.hpp"
#include "tests/model/random_providers.hpp"
#include "tests/model/random_quotas.hpp"
#include "tests/support/random_cluster.hpp"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;

PlainTree random_plain_tree(Dice& dice) {
    PlainTree tree;
    const std::int64_t resources = dice.roll(1, 2);
    for (int type = 0; type < 2; ++type) {
        std::vector<core::Amount>& amounts = tree.types.emplace_back();
        for (std::int64_t r = 0; r < resources; ++r) {
            amounts.push_back(dice.roll(1, 8));
        }
    }
    std::int64_t above = 1;
    for (std::int64_t level = dice.roll(1, 3); level > 0; --level) {
        std::vector<std::uint32_t>& parents = tree.parents.emplace_back();
        for (std::int64_t parent = 0; parent < above; ++parent) {
            // Every node above the servers has at least one child; seven servers are enough.
            const std::int64_t most =
                std::max<std::int64_t>(1, std::min<std::int64_t>(3, 7 / above));
            for (std::int64_t child = dice.roll(1, most); child > 0; --child) {
                parents.push_back(static_cast<std::uint32_t>(parent));
            }
        }
        above = std::ssize(parents);
    }
    for (std::int64_t server = 0; server < above; ++server) {
        tree.type_of.push_back(static_cast<std::uint32_t>(dice.roll(0, 1)));
    }
    return tree;
}

sim::Job random_job(Dice& dice, const PlainCase& of, std::int64_t number) {
    sim::Job job;
    job.name = "j" + std::to_string(number);
    job.user = dice.chance(50) ? "ann" : "bob";
    job.priority = static_cast<std::int32_t>(dice.roll(0, 2));
    if (dice.chance(95)) {
        job.duration = milliseconds(dice.chance(10) ? 0 : 500 * dice.roll(1, 60));
        if (dice.chance(50)) {
            job.estimate = milliseconds(500 * dice.roll(1, 90));
        }
    }
    if (of.settings.quotas) {
        job.quota = dice.chance(90) ? one_of(dice, of.settings.quotas->quotas).name
                                    : one_of<std::string>(dice, {"a-late", "b-late", "a-late", ""});
        job.preemptible = dice.chance(80);
    }
    job.job_class = dice.chance(50) ? "slow" : "";
    for (std::size_t r = 0; r < of.tree.types.front().size(); ++r) {
        job.demand.push_back(dice.chance(10) ? 0 : dice.roll(1, 4));
    }
    if (dice.chance(15)) {
        job.application = dice.chance(50) ? "web" : "db";
        job.per_server_max = dice.roll(1, 2);
    }
    if (dice.chance(40)) {
        job.group = true;
        job.size = dice.roll(1, 5);
        job.min_available = dice.chance(60) ? job.size : dice.roll(1, job.size);
        job.constraints = random_constraints(
            dice, static_cast<std::uint32_t>(of.tree.parents.size() + 1), dice.chance(40));
    } else if (dice.chance(5)) {
        job.servers = std::vector{core::ServerId{
            static_cast<std::uint32_t>(dice.roll(0, std::ssize(of.tree.type_of) - 1))}};
    }
    return job;
}

void add_jobs(Dice& dice, PlainCase& of) {
    milliseconds at{};
    for (std::int64_t number = 0, count = dice.roll(of.settings.quotas ? 8 : 1, 25); number < count;
         ++number) {
        at += milliseconds(dice.chance(40) ? 0 : 500 * dice.roll(1, 8));
        sim::Job job = random_job(dice, of, number);
        job.submit = at;
        milliseconds resized_at = at;
        while (job.group && dice.chance(20)) {
            resized_at += milliseconds(500 * dice.roll(0, 30));
            job.resizes.push_back({resized_at, dice.roll(1, 5)});
        }
        of.jobs.push_back(std::move(job));
    }
}

void add_failures(Dice& dice, PlainCase& of) {
    const std::int64_t last = std::ssize(of.tree.type_of) - 1;
    for (int i = 0; i < 3 && dice.chance(30); ++i) {
        const core::ServerId server{static_cast<std::uint32_t>(dice.roll(0, last))};
        const milliseconds at(500 * dice.roll(0, 80));
        of.settings.node_changes.push_back({at, server, false});
        if (dice.chance(70)) {
            of.settings.node_changes.push_back(
                {at + milliseconds(500 * dice.roll(1, 60)), server, true});
        }
    }
    if (dice.chance(10)) {
        const core::ServerId server{static_cast<std::uint32_t>(dice.roll(0, last))};
        of.settings.absent.push_back(server);
        of.settings.node_changes.push_back({milliseconds(500 * dice.roll(0, 60)), server, true});
    }
    std::ranges::stable_sort(of.settings.node_changes, {}, &sim::NodeChange::at);
}

void add_settings(Dice& dice, PlainCase& of) {
    of.queue = one_of<std::string>(dice,
                                   {"fifo",
                                    "fcfs",
                                    "priority",
                                    "shortest-job",
                                    "longest-job",
                                    "least-attained-service",
                                    "fair-share",
                                    "easy-backfill",
                                    "replanned-backfill",
                                    "conservative-backfill"});
    of.order = one_of<std::string>(
        dice, {"fifo", "priority", "shortest-job", "longest-job", "least-attained-service"});
    of.depth = dice.chance(50) ? 0 : static_cast<std::size_t>(dice.roll(1, 4));
    of.half_life = std::chrono::seconds(dice.roll(1, 100));
    of.score.clear();
    for (std::int64_t i = dice.roll(1, 2); i > 0; --i) {
        of.score.emplace_back(one_of<std::string>(dice,
                                                  {"best-fit",
                                                   "worst-fit",
                                                   "first-fit",
                                                   "least-allocated",
                                                   "most-allocated",
                                                   "balanced-allocation"}),
                              dice.roll(1, 3));
    }
    of.lost_quarters = dice.roll(0, 4);
    sim::Settings& settings = of.settings;
    // Plans assume that a job that finds no place also finds none if less is free. That does not
    // always hold for the greedy solver, as docs/reference/queue-policies.md says.
    const bool exact = of.queue.ends_with("backfill") || dice.chance(50);
    settings.profile.solver = !exact ? sim::Solver::greedy : sim::Solver::exact;
    settings.profile.num_fit = dice.chance(50) ? core::NumFit::aggregate : core::NumFit::percolated;
    settings.period = dice.chance(70) ? milliseconds(0) : milliseconds(700 * dice.roll(1, 5));
    settings.retry = dice.chance(85);
    if (dice.chance(20)) {
        settings.until = milliseconds(500 * dice.roll(0, 100));
    }
    if (dice.chance(30)) {
        for (const char* name : {"steady", "slow"}) {
            sim::SlowDown& slow_down = settings.run_time.emplace_back();
            slow_down.job_class = name;
            for (std::size_t level = 0; level <= of.tree.parents.size(); ++level) {
                slow_down.by_level.push_back(dice.roll(1000, 2500));
            }
        }
    }
}

}  // namespace

PlainCase random_case(Dice& dice) {
    PlainCase of;
    of.tree = random_plain_tree(dice);
    for (const std::uint32_t type : of.tree.type_of) {
        std::vector<core::Amount>& outside = of.outside.emplace_back();
        for (const core::Amount capacity : of.tree.types[type]) {
            outside.push_back(dice.chance(80) ? 0 : dice.roll(0, capacity + 1));
        }
    }
    add_settings(dice, of);
    if (dice.chance(40)) {
        add_quotas(dice, of);
    }
    add_jobs(dice, of);
    press_quotas(dice, of);
    add_failures(dice, of);
    if (dice.chance(30)) {
        share_gpus(dice, of);
    } else if (dice.chance(30)) {
        allocate_devices(dice, of);
    } else if (dice.chance(20)) {
        ask_for_candidates(dice, of);
    }
    if (dice.chance(60)) {
        sim::OnFailure& failed = of.settings.on_failure;
        failed.keeps_place = true;
        failed.shrinks = dice.chance(80);
        failed.replaces = failed.shrinks && dice.chance(70);
    }
    return of;
}

}  // namespace berth::tests
