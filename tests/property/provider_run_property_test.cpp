// Runs over random small clouds that look for allocation candidates: who has what of which
// provider at each time is kept in plain books.

#include <Eigen/Core>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/machine_views/provider_view.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/plain_candidates.hpp"
#include "tests/support/random_cloud.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using core::Amount;
using core::ServerId;
using sim::SimTime;
using tests::Dice;

namespace {

/// What one member had, from when to when.
struct Held {
    std::size_t job = 0;
    ServerId server;
    SimTime start{};
    SimTime finish = sim::never;
    std::vector<sim::ProviderUse::Part> parts{};

    [[nodiscard]] bool at(SimTime time) const { return start <= time && time < finish; }
};

/// Writes down what the run says of itself.
class Notes final : public sim::RecordSink {
public:
    explicit Notes(const core::Ledger& ledger) : ledger_(ledger) {}

    void job(const sim::JobRecord& record) override {
        add(record);
        records.push_back(record);
    }
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        ++evictions[static_cast<std::size_t>(eviction.cause)];
        add(record);
    }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
    void event_handled(SimTime at, sim::QuotaManager* /*quotas*/) override {
        std::vector<std::vector<Amount>>& now = allocated[at];  // the last event of an instant
        now.clear();
        const core::Topology& tree = ledger_.topology();
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            auto& amounts = now.emplace_back();
            for (std::size_t r = 0; r < ledger_.resource_count(); ++r) {
                amounts.push_back(ledger_.allocated(tree.node_of(ServerId{server}), r));
            }
        }
    }

    std::vector<Held> held;
    std::vector<sim::JobRecord> records;
    std::map<SimTime, std::vector<std::vector<Amount>>> allocated;  ///< By server and resource.
    std::array<int, sim::eviction_cause_count> evictions{};

private:
    void add(const sim::JobRecord& record) {
        const auto job = static_cast<std::size_t>(std::stoul(record.job.name));
        for (const sim::Stint& stint : record.stints) {
            REQUIRE(std::ssize(stint.grants) == stint.members);
            for (const sim::Grant& grant : stint.grants) {
                held.push_back({job,
                                stint.server,
                                stint.start,
                                stint.finish.value_or(sim::never),
                                grant.providers->parts});
            }
        }
    }

    const core::Ledger& ledger_;
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

/// A job's number is its name. What nobody in the cloud knows is not asked for.
std::vector<sim::Job> random_jobs(Dice& dice, const core::Topology& tree, int count) {
    const core::ProviderTerms terms(tree);
    std::vector<sim::Job> jobs;
    SimTime at{};
    for (int i = 0; i < count; ++i) {
        at += std::chrono::milliseconds(dice.chance(30) ? 0 : dice.roll(0, 9000));
        sim::Job job;
        job.name = std::to_string(i);
        job.submit = at;
        job.duration = std::chrono::milliseconds(dice.roll(1, 60'000));
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(80);
        job.quota = fmt::format("q{}", dice.roll(0, 3));
        do {
            job.query = tests::pod_query(tests::random_pod_query(dice));
        } while (terms.unknown(job.query->query));
        job.demand = *terms.demand(job.query->query);
        jobs.push_back(std::move(job));
    }
    return jobs;
}

sim::QuotaSettings random_quotas(Dice& dice) {
    sim::QuotaSettings out;
    constexpr std::int64_t one = 1'000'000'000;
    for (int i = 0; i < 3; ++i) {
        core::ElasticQuota quota;
        quota.name = fmt::format("q{}", i);
        const std::int64_t max = dice.roll(2, 20);
        quota.max["cpu"] = core::Quantity{max} * one;
        quota.min["cpu"] = core::Quantity{dice.roll(0, max / 2)} * one;
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

sim::Settings random_settings(Dice& dice, const core::Topology& tree) {
    sim::Settings settings;
    const auto scorer = static_cast<std::size_t>(dice.roll(0, std::ssize(core::scorers()) - 1));
    settings.profile.score = {{core::scorers()[scorer].make(), 1}};
    settings.profile.queue = sim::queue_policy(dice.chance(50) ? "fifo" : "priority");
    settings.profile.solver = static_cast<sim::Solver>(dice.roll(0, 1));
    settings.profile.num_fit = static_cast<core::NumFit>(dice.roll(0, 1));
    settings.profile.inside.candidates =
        sim::CandidatePlugin{static_cast<sim::CandidateChoice>(dice.roll(0, 2))};
    settings.period = std::chrono::seconds(dice.chance(80) ? 0 : 5);
    settings.retry = dice.chance(80);
    settings.attainable = dice.chance(10);
    if (dice.chance(40)) {
        settings.quotas = random_quotas(dice);
    }
    if (dice.chance(20)) {
        settings.absent = {ServerId{0}};
        settings.node_changes.push_back({std::chrono::seconds(30), ServerId{0}, true});
    }
    for (std::int64_t i = dice.roll(0, 3); i > 0; --i) {
        const ServerId server{static_cast<std::uint32_t>(dice.roll(0, tree.server_count() - 1))};
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
    for (const ServerId server : settings.absent) {
        up[server.index] = false;
    }
    for (const sim::NodeChange& change : settings.node_changes) {
        if (change.at <= at) {
            up[change.server.index] = change.up;
        }
    }
    return up;
}

/// In use of each provider and class.
using Books = std::map<std::pair<core::ProviderIndex, std::string>, Amount>;

/// The background of a server in its providers: the first ones full, the next one in part.
void add_background(const core::ProviderForest& forest,
                    const core::Topology& tree,
                    ServerId server,
                    const std::vector<Amount>& background,
                    Books& books) {
    std::map<std::string, Amount> units;
    for (const auto& one : core::provider_classes(tree.machine_type(server), tree.resources())) {
        units[one.name] += (background[one.resource] + one.amount - 1) / one.amount * one.units;
    }
    for (auto& [name, left] : units) {
        const auto type = *forest.classes().find(name);
        core::ProviderIndex last = core::ProviderIndex(-1);
        for (auto p = forest.root(server.index); p < forest.tree_end(server.index); ++p) {
            if (const auto* row = forest.inventory(p, type)) {
                const Amount here = std::min(left, row->capacity);
                books[{p, name}] += here;
                left -= here;
                last = p;
            }
        }
        if (last != core::ProviderIndex(-1)) {
            books[{last, name}] += left;
        }
    }
}

/// Up to what a server has of each resource, by halves of a CPU and of a GPU, by parts of a unit.
std::vector<Amount> random_background(Dice& dice, const core::MachineType& type) {
    std::vector<Amount> amounts;
    for (const Amount capacity : type.capacity) {
        amounts.push_back(dice.chance(60) ? 0 : capacity * dice.roll(0, 10) / 10);
    }
    amounts[3] = amounts[3] / 500 * 500;
    return amounts;
}

/// A random case, and what came of it.
class Case {
public:
    explicit Case(std::uint64_t seed) {
        Dice dice(seed);
        tree = tests::random_cloud(dice);
        jobs = random_jobs(dice, *tree, 30);
        for (sim::Job& job : jobs) {
            if (dice.chance(25)) {
                make_group(dice, job);
            }
        }
        settings = random_settings(dice, *tree);
        core::Ledger ledger(tree);
        for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
            background.emplace_back(ledger.resource_count(), 0);
            if (dice.chance(25)) {
                background.back() = random_background(dice, tree->machine_type(ServerId{server}));
                ledger.occupy(ServerId{server}, background.back());
            }
        }
        tests::ListSource source(jobs);
        notes.emplace(ledger);
        sim::RunControl control;
        result = sim::Simulation(ledger, source, settings, *notes, control).run();
    }

    void check() const {
        REQUIRE(notes->records.size() == jobs.size());
        const core::ProviderForest forest = core::provider_forest(*tree);
        for (const Held& held : notes->held) {
            check_candidate(forest, held);
            if (held.start < held.finish) {
                check_capacities(forest, held);
            }
        }
        for (const auto& [at, allocated] : notes->allocated) {
            check_ledger(forest, at, allocated);
        }
        check_nobody_is_forgotten(forest);
    }

    std::shared_ptr<const core::Topology> tree;
    std::vector<sim::Job> jobs;
    sim::Settings settings;
    std::vector<std::vector<Amount>> background;  ///< By server.
    std::optional<Notes> notes;
    sim::RunResult result;

private:
    /// It is one of the idle cloud's, and takes all that was asked for.
    void check_candidate(const core::ProviderForest& forest, const Held& held) const {
        const core::CandidateSearch search(forest, jobs[held.job].query->query);
        const core::CandidateList all = search.find_in(held.server.index, 100'000);
        Books taken;
        for (const auto& part : held.parts) {
            taken[{part.provider, forest.classes().name(part.type)}] += part.amount;
        }
        bool found = false;
        for (std::size_t i = 0; i < all.size() && !found; ++i) {
            Books candidate;
            for (std::size_t part = 0; part < all[i].size(); ++part) {
                for (const auto& [type, amount] : search.parts()[part].resources) {
                    candidate[{all[i][part], forest.classes().name(type)}] += amount;
                }
            }
            found = candidate == taken;
        }
        CAPTURE(jobs[held.job].query->text, held.server.index);
        REQUIRE(found);
    }

    [[nodiscard]] Books books_at(const core::ProviderForest& forest, SimTime at) const {
        const auto up = servers_up(settings, tree->server_count(), at);
        Books books;
        for (std::uint32_t server = 0; server < up.size(); ++server) {
            if (up[server]) {
                add_background(forest, *tree, ServerId{server}, background[server], books);
            }
        }
        for (const Held& held : notes->held) {
            if (held.at(at)) {
                REQUIRE(up[held.server.index]);
                for (const auto& part : held.parts) {
                    books[{part.provider, forest.classes().name(part.type)}] += part.amount;
                }
            }
        }
        return books;
    }

    /// When it starts there is enough of what it takes; the background alone may be too much.
    void check_capacities(const core::ProviderForest& forest, const Held& held) const {
        const Books books = books_at(forest, held.start);
        for (const auto& part : held.parts) {
            const Amount used = books.at({part.provider, forest.classes().name(part.type)});
            CAPTURE(forest.name(part.provider), part.type, held.start.count());
            REQUIRE(used <= forest.inventory(part.provider, part.type)->capacity);
        }
    }

    void check_ledger(const core::ProviderForest& forest,
                      SimTime at,
                      const std::vector<std::vector<Amount>>& allocated) const {
        const core::ProviderTerms terms(*tree);
        const auto up = servers_up(settings, tree->server_count(), at);
        auto expected = background;
        for (std::size_t server = 0; server < expected.size(); ++server) {
            if (!up[server]) {
                std::ranges::fill(expected[server], 0);
            }
        }
        for (const Held& held : notes->held) {
            for (std::size_t i = 0; held.at(at) && i < held.parts.size(); ++i) {
                const auto& part = held.parts[i];
                const auto* one = terms.counted(forest.classes().name(part.type));
                if (one != nullptr && forest.tree(part.provider) == held.server.index) {
                    expected[held.server.index][one->resource] += part.amount * one->amount;
                }
            }
        }
        CAPTURE(at.count());
        REQUIRE(allocated == expected);
    }

    /// At the end all is idle, and so a pod that waits can never start.
    void check_nobody_is_forgotten(const core::ProviderForest& idle) const {
        core::ProviderForest forest = idle;
        const auto up = servers_up(settings, tree->server_count(), sim::never);
        for (const auto& [place, used] : books_at(forest, result.end)) {
            forest.add_usage(place.first, *forest.classes().find(place.second), used);
        }
        for (const sim::JobRecord& record : notes->records) {
            REQUIRE(record.outcome != sim::Outcome::running);
            const bool waits = record.outcome == sim::Outcome::waiting;
            REQUIRE((!waits || settings.retry));
            if (!waits || record.job.group || record.reason.starts_with("quota ")) {
                continue;
            }
            const core::CandidateSearch search(forest, record.job.query->query);
            for (std::uint32_t server = 0; server < up.size(); ++server) {
                bool enough = up[server];
                for (std::size_t r = 0; r < background[server].size(); ++r) {
                    const Amount whole =
                        tree->machine_type(ServerId{server}).capacity[Eigen::Index(r)];
                    enough = enough && (record.job.demand[r] == 0 ||
                                        record.job.demand[r] <= whole - background[server][r]);
                }
                CAPTURE(record.job.name, record.job.query->text, record.reason, server);
                REQUIRE((!enough || search.find_in(server, 1).size() == 0));
            }
        }
    }
};

}  // namespace

TEST_CASE("providers in a run: the books balance", "[property][providers]") {
    std::size_t held = 0;
    std::ptrdiff_t refused = 0;
    std::array<int, sim::eviction_cause_count> evictions{};
    for (std::uint64_t seed = 0; seed < tests::cases(150); ++seed) {
        CAPTURE(seed);
        const Case run(seed);
        run.check();
        held += run.notes->held.size();
        refused += std::ranges::count_if(run.notes->records, [](const sim::JobRecord& record) {
            return record.reason.find("no allocation candidate") != std::string::npos;
        });
        for (std::size_t cause = 0; cause < evictions.size(); ++cause) {
            evictions[cause] += run.notes->evictions[cause];
        }
    }
    // The cases are not all of one kind.
    CHECK(held > 2000);
    CHECK(refused > 100);
    CHECK(std::ranges::min(evictions) > 5);
}

TEST_CASE("providers in a run: equal runs of equal seeds", "[property][providers]") {
    for (std::uint64_t seed = 0; seed < tests::cases(10); ++seed) {
        CAPTURE(seed);
        const Case once(seed);
        const Case again(seed);
        REQUIRE(once.result.fingerprint == again.result.fingerprint);
        REQUIRE(once.notes->held.size() == again.notes->held.size());
    }
}

namespace {

/// Pods in the order of their arrival, each on the first server that has the amounts and a
/// candidate: as one would write it down. Which candidate it is, is taken from the run, if it is
/// one.
class PlainLoop {
public:
    PlainLoop(const core::Topology& tree, const std::vector<sim::Job>& jobs, const Notes& notes)
        : tree_(tree), jobs_(jobs), forest_(core::provider_forest(tree)), providers_(all(tree)) {
        for (const Held& held : notes.held) {
            taken_[held.job] = &held;
        }
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            const auto& capacity = tree.machine_type(ServerId{server}).capacity;
            available_.emplace_back(capacity.begin(), capacity.end());
        }
    }

    void run() {
        std::set<SimTime> instants;
        for (const sim::Job& job : jobs_) {
            instants.insert(job.submit);
        }
        std::vector<std::size_t> waiting;
        std::size_t next = 0;
        while (!instants.empty()) {
            const SimTime now = *instants.begin();
            instants.erase(instants.begin());
            for (const auto& [job, held] : running_) {
                if (held->finish == now) {
                    count(*held, -1);
                }
            }
            std::erase_if(running_, [&](const auto& entry) { return entry.second->finish == now; });
            for (; next < jobs_.size() && jobs_[next].submit == now; ++next) {
                waiting.push_back(next);
            }
            std::erase_if(waiting, [&](std::size_t job) { return starts(job, now, instants); });
        }
        started += running_.size();
        REQUIRE(running_.empty());
    }

    std::size_t started = 0;

private:
    static std::vector<core::ResourceProvider> all(const core::Topology& tree) {
        std::vector<core::ResourceProvider> out;
        core::for_each_provider(tree, [&](const auto& provider) { out.push_back(provider); });
        return out;
    }

    [[nodiscard]] std::optional<ServerId> first_server(std::size_t job) const {
        const tests::PlainAnswer answer = providers_.answer(jobs_[job].query->query);
        for (std::uint32_t server = 0; server < available_.size(); ++server) {
            const auto& demand = jobs_[job].demand;
            bool enough = true;
            for (std::size_t r = 0; r < demand.size(); ++r) {
                enough = enough && (demand[r] == 0 || demand[r] <= available_[server][r]);
            }
            const auto anchored =
                answer.anchored.find(std::string(forest_.uuid(forest_.root(server))));
            if (enough && anchored != answer.anchored.end() && !anchored->second.empty()) {
                check_is_among(job, anchored->second);
                return ServerId{server};
            }
        }
        return std::nullopt;
    }

    /// What the run took is among the candidates of this moment.
    void check_is_among(std::size_t job, const std::set<std::string>& candidates) const {
        REQUIRE(taken_.contains(job));
        std::map<std::string, std::map<std::string, Amount>> taken;
        for (const auto& part : taken_.at(job)->parts) {
            taken[std::string(forest_.uuid(part.provider))][forest_.classes().name(part.type)] +=
                part.amount;
        }
        std::string text;
        for (const auto& [uuid, resources] : taken) {
            std::string amounts;
            for (const auto& [name, amount] : resources) {
                amounts += fmt::format("{}\"{}\":{}", amounts.empty() ? "" : ",", name, amount);
            }
            text += fmt::format(
                "{}\"{}\":{{\"resources\":{{{}}}}}", text.empty() ? "" : ",", uuid, amounts);
        }
        text = fmt::format("{{\"allocations\":{{{}}},", text);
        CAPTURE(text, candidates);
        REQUIRE(std::ranges::any_of(
            candidates, [&](const std::string& candidate) { return candidate.starts_with(text); }));
    }

    bool starts(std::size_t job, SimTime now, std::set<SimTime>& instants) {
        const auto server = first_server(job);
        const auto held = taken_.find(job);
        CAPTURE(job, jobs_[job].query->text, now.count());
        REQUIRE((!server || (held != taken_.end() && held->second->start == now)));
        REQUIRE((server || held == taken_.end() || held->second->start != now));
        if (!server) {
            return false;
        }
        REQUIRE(held->second->server == *server);
        count(*held->second, 1);
        running_[job] = held->second;
        instants.insert(held->second->finish);
        ++started;
        return true;
    }

    void count(const Held& held, Amount sign) {
        const core::ProviderTerms terms(tree_);
        for (const auto& part : held.parts) {
            const std::string& name = forest_.classes().name(part.type);
            providers_.add_usage(
                std::string(forest_.uuid(part.provider)), name, sign * part.amount);
            const auto* one = terms.counted(name);
            if (one != nullptr && forest_.tree(part.provider) == held.server.index) {
                available_[held.server.index][one->resource] -= sign * part.amount * one->amount;
            }
        }
    }

    const core::Topology& tree_;
    const std::vector<sim::Job>& jobs_;
    core::ProviderForest forest_;
    tests::PlainCandidates providers_;
    std::map<std::size_t, const Held*> taken_;    ///< By job.
    std::map<std::size_t, const Held*> running_;  ///< By job.
    std::vector<std::vector<Amount>> available_;  ///< By server and resource.
};

}  // namespace

TEST_CASE("providers in a run: first-fit does as a plain loop", "[property][providers]") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(30); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_cloud(dice);
        const std::vector<sim::Job> jobs = random_jobs(dice, *tree, 20);
        sim::Settings settings;
        const auto first =
            std::ranges::find(core::scorers(), "first-fit", &core::ScorerEntry::name);
        settings.profile.score = {{first->make(), 1}};
        settings.profile.inside.candidates =
            sim::CandidatePlugin{static_cast<sim::CandidateChoice>(dice.roll(0, 2))};
        core::Ledger ledger(tree);
        tests::ListSource source(jobs);
        Notes notes(ledger);
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, notes, control).run();
        PlainLoop plain(*tree, jobs, notes);
        plain.run();
        REQUIRE(plain.started == notes.held.size());
        compared += plain.started;
    }
    CHECK(compared > 200);
}
