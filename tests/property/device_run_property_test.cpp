// Runs over random small clusters of unlike machines, under every allocator of devices: who has
// which GPU and NIC at each time is kept in plain books.

#include <array>
#include <chrono>
#include <tuple>

#include <catch2/catch.hpp>

#include "core/index/scorer.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/device_machines.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using core::Amount;
using core::DeviceMask;
using sim::SimTime;
using tests::DeviceAsk;
using tests::DeviceWay;
using tests::Dice;

namespace {

constexpr std::size_t gpu_resource = 1;  // of tests::device_schema()

/// What one member had, from when to when.
struct Use {
    std::size_t job = 0;
    std::uint32_t server = 0;
    SimTime start{};
    SimTime finish = sim::never;
    DeviceMask gpus = 0;
    DeviceMask nics = 0;
    std::uint64_t members = 1;  ///< More only of a job without devices.

    [[nodiscard]] bool at(SimTime time) const { return start <= time && time < finish; }
};

/// Writes down what the run says of itself.
class Books final : public sim::RecordSink {
public:
    Books(const core::Ledger& ledger, const sim::Profile& profile) : ledger_(ledger) {
        const auto names = sim::sampled_metrics(ledger.topology(), profile);
        const auto at = std::ranges::find(names, "gpus_free");
        REQUIRE(at != names.end());
        gpus_free_ = static_cast<std::size_t>(at - names.begin());
    }

    void job(const sim::JobRecord& record) override {
        add(record);
        reasons.push_back(record.reason);
        outcomes.push_back(record.outcome);
    }
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        ++evictions[static_cast<std::size_t>(eviction.cause)];
        add(record);
    }
    void sample(SimTime at, std::span<const double> values) override {
        free_gpus[at] = {values[gpus_free_], values[gpus_free_ + 1]};
    }
    void event_handled(SimTime at, sim::QuotaManager* /*quotas*/) override {
        std::vector<Amount>& now = allocated[at];  // the last event of an instant counts
        now.clear();
        const core::Topology& tree = ledger_.topology();
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            now.push_back(ledger_.allocated(tree.node_of(core::ServerId{server}), gpu_resource));
        }
    }

    std::vector<Use> uses;
    std::vector<std::string> reasons;
    std::vector<sim::Outcome> outcomes;
    std::map<SimTime, std::vector<Amount>> allocated;        ///< GPUs in the ledger, by server.
    std::map<SimTime, std::pair<double, double>> free_gpus;  ///< All, and broken ones.
    std::array<int, sim::eviction_cause_count> evictions{};

private:
    void add(const sim::JobRecord& record) {
        for (const sim::Stint& stint : record.stints) {
            Use use{static_cast<std::size_t>(std::stoul(record.job.name)),
                    stint.server.index,
                    stint.start,
                    stint.finish.value_or(sim::never)};
            REQUIRE(std::ssize(stint.grants) ==
                    (record.job.devices != nullptr ? stint.members : 0));
            use.members = static_cast<std::uint64_t>(stint.members);
            if (record.job.devices == nullptr) {
                uses.push_back(use);
            }
            use.members = 1;
            for (const sim::Grant& grant : stint.grants) {
                use.gpus = grant.devices->gpus;
                use.nics = grant.devices->nics;
                uses.push_back(use);
            }
        }
    }

    const core::Ledger& ledger_;
    std::size_t gpus_free_ = 0;
};

std::shared_ptr<const core::Topology> random_cluster(Dice& dice) {
    core::TopologyBuilder builder(tests::device_schema());
    const std::int64_t types = dice.roll(1, 3);
    for (std::int64_t type = 0; type < types; ++type) {
        builder.add_machine_type(tests::random_machine(dice, fmt::format("type-{}", type)));
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    const auto racks = static_cast<std::uint32_t>(dice.roll(1, 3));
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("rack-{}", rack));
    }
    builder.begin_level("server");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        for (std::int64_t server = dice.roll(1, 3); server > 0; --server) {
            builder.add_server(rack,
                               fmt::format("server-{}-{}", rack, server),
                               static_cast<std::uint32_t>(dice.roll(0, types - 1)));
        }
    }
    return std::make_shared<const core::Topology>(builder.build());
}

/// A job's number is its name.
struct Workload {
    std::vector<sim::Job> jobs;
    std::vector<DeviceAsk> asks;  ///< By job.
};

void make_group(Dice& dice, sim::Job& job) {
    job.group = true;
    job.size = dice.roll(1, 5);
    job.min_available = dice.roll(1, job.size);
    job.constraints = tests::random_constraints(dice, 3, true);
    SimTime at = job.submit;
    for (std::int64_t resizes = dice.roll(0, 2); resizes > 0; --resizes) {
        at += std::chrono::seconds(dice.roll(0, 20));
        job.resizes.push_back({at, dice.roll(1, 6)});
    }
}

Workload random_workload(Dice& dice, const DeviceWay& way) {
    Workload out;
    SimTime at{};
    for (int i = 0; i < 30; ++i) {
        at += std::chrono::milliseconds(dice.chance(30) ? 0 : dice.roll(0, 9000));
        sim::Job job;
        job.name = std::to_string(i);
        job.submit = at;
        job.duration = std::chrono::milliseconds(dice.roll(0, 60'000));
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(80);
        job.quota = fmt::format("q{}", dice.roll(0, 3));
        DeviceAsk ask;
        if (dice.chance(85)) {
            ask = tests::random_ask(dice, way.allocator);
            job.devices = std::make_shared<const core::PodDevices>(ask.devices);
        }
        job.demand = {1000 * dice.roll(job.devices != nullptr ? 0 : 1, 4), ask.milli_gpus()};
        if (dice.chance(25)) {
            make_group(dice, job);
        }
        out.jobs.push_back(std::move(job));
        out.asks.push_back(std::move(ask));
    }
    return out;
}

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

/// Which servers are there after everything that happens at an instant.
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

/// A random case, and what came of it.
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
    std::vector<Amount> background;  ///< Thousandths of GPUs, by server.
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
        for (const Use& first : books->uses) {  // what is too much begins at somebody's start
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
        bool outsiders = false;  // nobody says which GPUs those have
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

    /// At the end all is idle, and so a pod that waits can never start.
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
    CHECK(std::ranges::min(evictions) > 0);  // each cause has been met
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

namespace {

/// first-fit, first come, first served, as one would write it down.
class PlainFirstFit {
public:
    explicit PlainFirstFit(const core::Topology& tree) {
        for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
            const core::MachineType& type = tree.machine_type(core::ServerId{index});
            const tests::DeviceBooks machine(type);
            servers_.push_back({type.capacity[0],
                                std::vector<bool>(machine.gpu_count(), true),
                                std::vector<Amount>(machine.nic_count(), 100)});
        }
    }

    /// Jobs that come, by number; those that start go on for their duration.
    std::vector<Use> run(const Workload& workload) {
        std::set<SimTime> instants;
        for (const sim::Job& job : workload.jobs) {
            instants.insert(job.submit);
        }
        std::vector<std::size_t> waiting;
        std::size_t next = 0;
        while (!instants.empty()) {
            const SimTime now = *instants.begin();
            instants.erase(instants.begin());
            end_those_of(now, workload);
            for (; next < workload.jobs.size() && workload.jobs[next].submit == now; ++next) {
                waiting.push_back(next);
            }
            std::erase_if(waiting, [&](std::size_t job) {
                const bool started = start(job, now, workload);
                if (started) {
                    instants.insert(uses_.back().finish);
                }
                return started;
            });
        }
        return uses_;
    }

private:
    struct Server {
        Amount cpu = 0;
        std::vector<bool> gpus;
        std::vector<Amount> nics;
    };

    void end_those_of(SimTime now, const Workload& workload) {
        for (const Use& use : uses_) {
            if (use.finish != now) {
                continue;
            }
            Server& server = servers_[use.server];
            server.cpu += workload.jobs[use.job].demand[0];
            core::for_each_bit(use.gpus, [&](std::size_t gpu) { server.gpus[gpu] = true; });
            core::for_each_bit(use.nics, [&](std::size_t nic) {
                server.nics[nic] += workload.asks[use.job].of_nic;
            });
        }
    }

    bool start(std::size_t job, SimTime now, const Workload& workload) {
        const DeviceAsk& ask = workload.asks[job];
        for (std::uint32_t index = 0; index < servers_.size(); ++index) {
            Server& server = servers_[index];
            Use use{job, index, now, now + *workload.jobs[job].duration};
            for (std::size_t gpu = 0; gpu < server.gpus.size(); ++gpu) {
                use.gpus |=
                    server.gpus[gpu] && std::popcount(use.gpus) < ask.gpus ? core::bit(gpu) : 0;
            }
            for (std::size_t nic = 0; nic < server.nics.size(); ++nic) {
                use.nics |= server.nics[nic] >= ask.of_nic && std::popcount(use.nics) < ask.nics
                                ? core::bit(nic)
                                : 0;
            }
            if (server.cpu < workload.jobs[job].demand[0] || std::popcount(use.gpus) != ask.gpus ||
                std::popcount(use.nics) != ask.nics) {
                continue;
            }
            server.cpu -= workload.jobs[job].demand[0];
            core::for_each_bit(use.gpus, [&](std::size_t gpu) { server.gpus[gpu] = false; });
            core::for_each_bit(use.nics, [&](std::size_t nic) { server.nics[nic] -= ask.of_nic; });
            uses_.push_back(use);
            return true;
        }
        return false;
    }

    std::vector<Server> servers_;
    std::vector<Use> uses_;
};

}  // namespace

TEST_CASE("devices in a run: first-fit does as a plain loop", "[property][devices]") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(60); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = random_cluster(dice);
        const DeviceWay way{"first-fit", {}};
        Workload workload = random_workload(dice, way);
        for (sim::Job& job : workload.jobs) {
            job.group = false;
            job.size = job.min_available = 1;
            job.constraints.reset();
            job.resizes.clear();
            *job.duration += std::chrono::milliseconds(1);
        }
        sim::Settings settings;
        settings.profile.score = tests::by_scorer("best-fit");
        for (const core::ScorerEntry& entry : core::scorers()) {
            if (entry.name == "first-fit") {
                settings.profile.score = {{entry.make(), 1}};
            }
        }
        settings.profile.inside.devices = sim::DevicePlugin{way.allocator, way.rules, 0};
        core::Ledger ledger(tree);
        tests::ListSource source(workload.jobs);
        Books books(ledger, settings.profile);
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, books, control).run();
        std::vector<Use> expected = PlainFirstFit(*tree).run(workload);
        std::ranges::sort(expected, {}, &Use::job);
        REQUIRE(books.uses.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Use& a = books.uses[i];
            const Use& b = expected[i];
            CAPTURE(a.job, workload.asks[a.job].devices.text);
            REQUIRE(std::tie(a.job, a.server, a.start, a.finish, a.gpus, a.nics) ==
                    std::tie(b.job, b.server, b.start, b.finish, b.gpus, b.nics));
        }
        compared += expected.size();
    }
    CHECK(compared > 500);
}
