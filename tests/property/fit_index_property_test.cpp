// Compares the maintained index with one that is rebuilt after every change.

#include <catch2/catch.hpp>

#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "tests/support/named_scorer.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using tests::Dice;

namespace {

struct Claimed {
    core::ServerId server;
    core::Members members = 0;
};

void change_something(Dice& dice,
                      core::Ledger& ledger,
                      const std::vector<core::Amount>& demand,
                      std::vector<Claimed>& held) {
    const core::Topology& tree = ledger.topology();
    if (dice.chance(40) && !held.empty()) {
        const auto at =
            static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(held.size()) - 1));
        ledger.release(held[at].server, demand, held[at].members);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
        return;
    }
    const core::ServerId server{static_cast<std::uint32_t>(dice.roll(0, tree.server_count() - 1))};
    const core::Members fit = core::fit_of(ledger.available(tree.node_of(server)), demand);
    if (fit > 0) {
        held.push_back({server, dice.roll(1, fit)});
        ledger.claim(server, demand, held.back().members);
    }
}

void check_same(const core::FitIndex& kept,
                const core::FitIndex& fresh,
                const core::Topology& tree) {
    for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
        REQUIRE(kept.fit(core::NodeId{node}) == fresh.fit(core::NodeId{node}));
    }
    for (std::uint32_t node = 0; node < tree.node_count() - tree.server_count(); ++node) {
        const auto* a = kept.sorted_children(core::NodeId{node});
        const auto* b = fresh.sorted_children(core::NodeId{node});
        REQUIRE((a == nullptr) == (b == nullptr));
        for (const auto order :
             {core::ChildOrder::increasing_fit, core::ChildOrder::decreasing_fit}) {
            if (a == nullptr) {
                continue;
            }
            auto x = a->walk(order, INT64_MIN);
            for (auto y = b->walk(order, INT64_MIN); !y.done(); y.next(), x.next()) {
                REQUIRE(!x.done());
                REQUIRE(x.child().node == y.child().node);
            }
            REQUIRE(x.done());
        }
    }
}

}  // namespace

TEST_CASE("fit index: catching up gives what building anew gives", "[property][fit_index]") {
    const auto rule = GENERATE(core::NumFit::aggregate, core::NumFit::percolated);
    for (std::uint64_t seed = 1; seed <= tests::cases(40); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        // Every fourth tree is wide enough for sorted children.
        const auto tree = seed % 4 == 0 ? tests::random_tree(dice, 2, 200, 12, 2)
                                        : tests::random_tree(dice, 3, 4, 12, 2);
        core::Ledger ledger(tree);
        const std::vector<core::Amount> demand{dice.roll(0, 3), dice.roll(1, 3)};
        core::FitIndex kept(ledger, demand, rule);
        std::vector<Claimed> held;
        for (int step = 0; step < 30; ++step) {
            for (std::int64_t changes = dice.roll(1, 8); changes > 0; --changes) {
                change_something(dice, ledger, demand, held);
            }
            kept.catch_up();
            check_same(kept, core::FitIndex(ledger, demand, rule), *tree);
        }
    }
}

TEST_CASE("fit index: an index that slept through the whole log is rebuilt",
          "[property][fit_index]") {
    Dice dice(7);
    const auto tree = tests::random_tree(dice, 2, 5, 9);
    core::Ledger ledger(tree);
    const std::vector<core::Amount> demand{1};
    core::FitIndex kept(ledger, demand, core::NumFit::percolated);
    std::vector<Claimed> held;
    for (int step = 0; step < 5000; ++step) {
        change_something(dice, ledger, demand, held);
    }
    REQUIRE_FALSE(ledger.changes().remembers(0));
    kept.catch_up();
    check_same(kept, core::FitIndex(ledger, demand, core::NumFit::percolated), *tree);
}

TEST_CASE("fit index: work follows the change, not the cluster", "[property][fit_index][work]") {
    for (const int fanout : {4, 40}) {
        Dice dice(3);
        const auto tree = tests::random_tree(dice, 3, fanout, 8);
        core::Ledger ledger(tree);
        core::FitIndex fits(ledger, {1}, core::NumFit::percolated);
        const std::uint64_t built = fits.servers_refitted();
        ledger.claim(core::ServerId{0}, std::vector<core::Amount>{1}, 1);
        fits.catch_up();
        CHECK(fits.servers_refitted() - built == 1);
    }
}

TEST_CASE("score index: catching up gives what building anew gives", "[property][score_index]") {
    for (const core::ScorerEntry& entry : core::scorers()) {
        for (std::uint64_t seed = 1; seed <= tests::cases(20); ++seed) {
            CAPTURE(seed, entry.name);
            Dice dice(seed);
            const auto tree = tests::random_tree(dice, 2, 8, 12, 2);
            core::Ledger ledger(tree);
            const std::vector<core::Amount> demand{dice.roll(0, 3), dice.roll(1, 3)};
            const std::vector<core::WeightedScorer> scorers{{entry.make(), 2}};
            core::ScoreIndex kept(ledger, demand, scorers, nullptr);
            std::vector<Claimed> held;
            for (int step = 0; step < 60; ++step) {
                change_something(dice, ledger, demand, held);
                kept.catch_up();
                core::ScoreIndex fresh(ledger, demand, scorers, nullptr);
                REQUIRE(kept.best() == fresh.best());
                REQUIRE(kept.feasible_count() == fresh.feasible_count());
                for (std::size_t resource = 0; resource < demand.size(); ++resource) {
                    REQUIRE(kept.insufficient_count(resource) ==
                            fresh.insufficient_count(resource));
                }
                // Also compared without any index.
                std::optional<core::ServerId> best;
                std::int64_t best_score = 0;
                for (std::uint32_t server = 0; server < tree->server_count(); ++server) {
                    const core::NodeId node = tree->node_of(core::ServerId{server});
                    const auto free = ledger.available(node);
                    if (free[0] < demand[0] || free[1] < demand[1]) {
                        continue;
                    }
                    const std::int64_t score =
                        2 * scorers[0].scorer->score(ledger.capacity(node), free, demand);
                    if (!best || score > best_score) {
                        best = core::ServerId{server};
                        best_score = score;
                    }
                }
                REQUIRE(kept.best() == best);
            }
        }
    }
}

TEST_CASE("score index: work follows the change, not the cluster",
          "[property][score_index][work]") {
    for (const int fanout : {4, 40}) {
        Dice dice(3);
        core::Ledger ledger(tests::random_tree(dice, 3, fanout, 8));
        const std::vector<core::WeightedScorer> scorers = tests::by_scorer("best-fit");
        core::ScoreIndex scores(ledger, {1}, scorers, nullptr);
        const std::uint64_t built = scores.servers_scored();
        ledger.claim(core::ServerId{0}, std::vector<core::Amount>{1}, 1);
        scores.catch_up();
        CHECK(scores.servers_scored() - built == 1);
    }
}
