// Runs over random small clusters of different machines, under every device allocator; plain books
// record which job has which GPU and NIC at each time.

#include <array>
#include <chrono>
#include <span>
#include <tuple>

#include <catch2/catch.hpp>

#include "core/index/scorer.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/device_machines.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/list_source.hpp"

using namespace berth;
using core::Amount;
using core::DeviceMask;
using sim::SimTime;
using tests::Books;
using tests::DeviceAsk;
using tests::DeviceWay;
using tests::Dice;
using tests::gpu_resource;
using tests::random_cluster;
using tests::random_workload;
using tests::Use;
using tests::Workload;

namespace {

sim::QuotaSettings random_quotas(Dice& dice) {
    sim::QuotaSettings out;
    constexpr std::int64_t one = 1'000'000'000;
    for (int i = 0; i < 3; ++i) {
        core::ElasticQuota quota;
        quota.name = fmt::format("q{}", i);
        for (const std::string name : {"cpu", "nvidia.com/gpu"}) {
            const std::int64_t max = dice.roll(4, 40);
            quota.max[name] = core::Quantity{max} * one;
            quota.min[name] = core::Quantity{dice.roll(0, max / 2)} * one;
        }
        out.quotas.push_back(quota);
    }
    if (dice.chance(60)) {
        out.recycler.emplace().patience = std::chrono::seconds(dice.roll(0, 12));
    }
    if (dice.chance(80)) {
        out.preemption.emplace().default_group = dice.chance(50);
    }
    return out;
}

sim::Settings random_settings(Dice& dice, const DeviceWay& way, const core::Topology& tree) {
    sim::Settings settings;
    const auto scorer = static_cast<std::size_t>(dice.roll(0, std::ssize(core::scorers()) - 1));
    settings.profile.score = {{core::scorers()[scorer].make(), 1}};
    settings.profile.queue = sim::queue_policy(dice.chance(50) ? "fifo" : "priority");
    settings.profile.solver = static_cast<sim::Solver>(dice.roll(0, 1));
    settings.profile.num_fit = static_cast<core::NumFit>(dice.roll(0, 1));
    settings.profile.inside.devices = sim::DevicePlugin{way.allocator, way.rules, dice.roll(0, 2)};
    settings.period = std::chrono::seconds(dice.chance(80) ? 0 : 5);
    settings.retry = dice.chance(80);
    settings.sample_every = std::chrono::seconds(7);
    settings.sample_arrivals = true;
    if (dice.chance(40)) {
        settings.quotas = random_quotas(dice);
    }
    if (dice.chance(20)) {
        settings.absent = {core::ServerId{0}};
        settings.node_changes.push_back({std::chrono::seconds(30), core::ServerId{0}, true});
    }
    for (std::int64_t i = dice.roll(0, 3); i > 0; --i) {
        const core::ServerId server{
            static_cast<std::uint32_t>(dice.roll(0, tree.server_count() - 1))};
        const SimTime at = std::chrono::seconds(dice.roll(31, 100));
        settings.node_changes.push_back({at, server, false});
        if (dice.chance(80)) {
            settings.node_changes.push_back(
                {at + std::chrono::seconds(dice.roll(1, 60)), server, true});
        }
    }
    std::ranges::stable_sort(settings.node_changes, {}, &sim::NodeChange::at);
    return settings;
}

/// Which servers are up after everything that happens at an instant.
std::vector<bool> servers_up(const sim::Settings& settings, std::size_t count, SimTime at) {
    std::vector<bool> up(count, true);
    for (const core::ServerId server : settings.absent) {
        up[server.index] = false;
    }
    for (const sim::NodeChange& change : settings.node_changes) {
        if (change.at <= at) {
            up[change.server.index] = change.up;
        }
    }
    return up;
}

/// A random case and its results.
class Case {
public:
    Case(std::uint64_t seed, const DeviceWay& way) {
        Dice dice(seed);
        tree = random_cluster(dice);
        workload = random_workload(dice, way);
        settings = random_settings(dice, way, *tree);
        core::Ledger ledger(tree);
        background.assign(tree->server_count(), 0);
        for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
            const Amount most = tree->machine_type(core::ServerId{server}).capacity[gpu_resource];
            if (dice.chance(15)) {
                background[server] = dice.roll(0, most / 500) * 500;
                ledger.occupy(core::ServerId{server}, std::vector<Amount>{0, background[server]});
            }
        }
        tests::ListSource source(workload.jobs);
        books.emplace(ledger, settings.profile);
        sim::RunControl control;
        result = sim::Simulation(ledger, source, settings, *books, control).run();
    }

    void check() const {
        REQUIRE(books->outcomes.size() == workload.jobs.size());
        for (const Use& use : books->uses) {
            check_count(use);
        }
        for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
            check_nothing_is_given_twice(server);
        }
        for (const auto& [at, allocated] : books->allocated) {
            check_ledger(at, allocated);
        }
        for (const auto& [at, free] : books->free_gpus) {
            check_free_gpus(at, free);
        }
        check_nobody_is_forgotten();
    }

    std::shared_ptr<const core::Topology> tree;
    Workload workload;
    sim::Settings settings;
    std::vector<Amount> background;  ///< Background in thousandths of GPUs, by server.
    std::optional<Books> books;
    sim::RunResult result;

private:
    void check_count(const Use& use) const {
        const DeviceAsk& ask = workload.asks[use.job];
        const tests::DeviceBooks machine(tree->machine_type(core::ServerId{use.server}));
        REQUIRE(std::popcount(use.gpus) == ask.gpus);
        REQUIRE(use.gpus >> machine.gpu_count() == 0);
        REQUIRE(use.nics >> machine.nic_count() == 0);
        REQUIRE(std::popcount(use.nics) >= ask.nics);
        REQUIRE((ask.more_nics || std::popcount(use.nics) == ask.nics));
    }

    void check_nothing_is_given_twice(std::uint32_t server) const {
        for (const Use& first : books->uses) {  // any excess begins at a start
            std::array<Amount, 64> gpus{};
            std::array<Amount, 64> nics{};
            if (first.server != server || first.finish == first.start) {
                continue;
            }
            for (const Use& use : books->uses) {
                if (use.server != server || !use.at(first.start)) {
                    continue;
                }
                const DeviceAsk& ask = workload.asks[use.job];
                core::for_each_bit(use.gpus, [&](std::size_t d) { gpus[d] += ask.of_each; });
                core::for_each_bit(use.nics, [&](std::size_t d) { nics[d] += ask.of_nic; });
            }
            REQUIRE(std::ranges::max(gpus) <= 100);
            REQUIRE(std::ranges::max(nics) <= 100);
        }
    }

    void check_ledger(SimTime at, const std::vector<Amount>& allocated) const {
        const auto up = servers_up(settings, tree->server_count(), at);
        std::vector<Amount> expected(tree->server_count(), 0);
        for (std::size_t server = 0; server < expected.size(); ++server) {
            expected[server] = up[server] ? background[server] : 0;
        }
        for (const Use& use : books->uses) {
            if (use.at(at)) {
                REQUIRE(up[use.server]);
                expected[use.server] +=
                    std::popcount(use.gpus) * workload.asks[use.job].of_each * 10;
            }
        }
        CAPTURE(at.count());
        REQUIRE(allocated == expected);
    }

    void check_free_gpus(SimTime at, std::pair<double, double> free) const {
        const auto up = servers_up(settings, tree->server_count(), at);
        std::int64_t all = 0;
        std::size_t whole = 0;
        bool outsiders = false;  // their GPUs have no known numbers
        for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
            const tests::DeviceBooks machine(tree->machine_type(core::ServerId{server}));
            DeviceMask there = up[server] ? core::bit(machine.gpu_count()) - 1 : 0;
            for (const Use& use : books->uses) {
                there &= use.server == server && use.at(at) ? ~use.gpus : ~DeviceMask{0};
            }
            all += std::popcount(there) - (up[server] ? (background[server] + 999) / 1000 : 0);
            whole += machine.whole_free(there);
            outsiders = outsiders || background[server] > 0;
        }
        CAPTURE(at.count());
        REQUIRE(free.first == Approx(all));
        REQUIRE((outsiders ||
                 free.second == Approx(static_cast<double>(all) - static_cast<double>(whole))));
    }

    /// At the end everything is idle, so a pod that still waits can never start.
    void check_nobody_is_forgotten() const {
        for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
            const bool waits = books->outcomes[i] == sim::Outcome::waiting;
            REQUIRE(books->outcomes[i] != sim::Outcome::running);
            REQUIRE((!waits || settings.retry));
            if (waits && !workload.jobs[i].group) {
                CAPTURE(i, workload.asks[i].devices.text, books->reasons[i]);
                REQUIRE((books->reasons[i].starts_with("0/") ||
                         books->reasons[i].starts_with("quota ")));
            }
        }
        for (const Use& use : books->uses) {
            REQUIRE(use.finish <= result.end);
        }
    }
};

}  // namespace

TEST_CASE("devices in a run: nothing is given twice, all comes back", "[property][devices]") {
    std::array<int, sim::eviction_cause_count> evictions{};
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        std::size_t uses = 0;
        for (std::uint64_t seed = 0; seed < tests::cases(20); ++seed) {
            CAPTURE(seed);
            const Case random(seed, way);
            random.check();
            uses += random.books->uses.size();
            for (std::size_t cause = 0; cause < evictions.size(); ++cause) {
                evictions[cause] += random.books->evictions[cause];
            }
        }
        CHECK(uses > 300);
    }
    // Each cause occurs, except drains, which these runs do not have.
    CHECK(std::ranges::min(std::span(evictions).first(sim::causes_told(false))) > 0);
}

TEST_CASE("devices in a run: the same seed goes the same way", "[property][devices]") {
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        for (std::uint64_t seed = 0; seed < tests::cases(3); ++seed) {
            CAPTURE(seed);
            const Case once(seed, way);
            const Case again(seed, way);
            REQUIRE(once.result.fingerprint == again.result.fingerprint);
            REQUIRE(once.books->reasons == again.books->reasons);
            REQUIRE(std::ranges::equal(
                once.books->uses, again.books->uses, [](const Use& a, const Use& b) {
                    return std::tie(a.job, a.server, a.start, a.finish, a.gpus, a.nics) ==
                           std::tie(b.job, b.server, b.start, b.finish, b.gpus, b.nics);
                }));
        }
    }
}
