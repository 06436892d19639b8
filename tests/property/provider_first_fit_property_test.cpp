// Compares runs that search allocation candidates by first-fit with a loop over servers and time.

#include <catch2/catch.hpp>
#include <set>

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

using namespace berth;
using core::Amount;
using core::ServerId;
using sim::SimTime;
using tests::Dice;
using tests::Held;
using tests::Notes;
using tests::random_jobs;

namespace {

/// Pods in the order of their arrival, each on the first server that has the amounts and a
/// candidate, in its simplest form. The candidate is taken from the run, after checking that it is
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

    /// Checks that what the run took is among the candidates of this moment.
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
    std::map<std::size_t, const Held*> taken_;    ///< Holdings of each job that started.
    std::map<std::size_t, const Held*> running_;  ///< Holdings of each running job.
    std::vector<std::vector<Amount>> available_;  ///< Available amounts, by server and resource.
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
