// Runs over random small clouds that search allocation candidates; plain books record which job has
// how much of which provider at each time.

#include <Eigen/Core>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <span>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/machine_views/provider_view.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/plain_candidates.hpp"
#include "tests/support/provider_runs.hpp"
#include "tests/support/random_cloud.hpp"
#include "tests/support/random_cluster.hpp"
#include "tests/support/random_gang.hpp"

using namespace berth;
using core::Amount;
using core::ServerId;
using sim::SimTime;
using tests::Dice;
using tests::Held;
using tests::Notes;
using tests::random_jobs;

namespace {

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

/// Which servers are up after everything that happens at an instant.
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

/// Usage of each provider and class.
using Books = std::map<std::pair<core::ProviderIndex, std::string>, Amount>;

/// Adds the background of a server to its providers: the first ones are full, the next one is used
/// in part.
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

/// At most what a server has of each resource, in halves of a CPU and of a GPU, in parts of a unit.
std::vector<Amount> random_background(Dice& dice, const core::MachineType& type) {
    std::vector<Amount> amounts;
    for (const Amount capacity : type.capacity) {
        amounts.push_back(dice.chance(60) ? 0 : capacity * dice.roll(0, 10) / 10);
    }
    amounts[3] = amounts[3] / 500 * 500;
    return amounts;
}

/// A random case and its results.
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
    std::vector<std::vector<Amount>> background;  ///< Background by server.
    std::optional<Notes> notes;
    sim::RunResult result;

private:
    /// Checks that the candidate is one of the idle cloud's, and takes everything that was asked
    /// for.
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

    /// Checks that there is enough of what a pod takes when it starts; only the background may
    /// exceed the capacity.
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

    /// At the end everything is idle, so a pod that still waits can never start.
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
    // The cases are varied enough.
    CHECK(held > 2000);
    CHECK(refused > 100);
    CHECK(std::ranges::min(std::span(evictions).first(sim::causes_told(false))) > 5);
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
