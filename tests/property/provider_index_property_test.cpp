// Indexes over servers that share providers: after updates by the logs they equal rebuilt ones.

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "tests/support/random_cloud.hpp"

using namespace berth;
using core::Amount;
using core::ServerId;
using tests::Dice;

namespace {

/// A pod shape, and the index that follows the ledger for it.
struct Followed {
    Followed(const core::Ledger& ledger,
             sim::ServerProviders& providers,
             std::shared_ptr<const sim::PodQuery> pod,
             std::vector<Amount> amounts)
        : query(std::move(pod)),
          demand(std::move(amounts)),
          rule(providers.rule(*query)),
          scores(ledger, demand, scorers, &rule),
          fits(ledger, demand, core::NumFit::percolated, &rule) {}

    std::shared_ptr<const sim::PodQuery> query;
    std::vector<Amount> demand;
    std::vector<core::WeightedScorer> scorers;
    const core::ServerRule& rule;
    core::ScoreIndex scores;
    core::FitIndex fits;
};

/// A running pod.
struct Placed {
    std::size_t shape = 0;
    ServerId server;
    sim::ProviderGrant grant;
};

std::vector<Amount> taken(const Followed& shape, const sim::ProviderUse& use) {
    std::vector<Amount> amounts = shape.demand;
    for (std::size_t r = 0; r < use.beside.size(); ++r) {
        amounts[r] += use.beside[r];
    }
    return amounts;
}

void check_same(Followed& shape, const core::Ledger& ledger) {
    CAPTURE(shape.query->text);
    shape.scores.catch_up();
    shape.fits.catch_up();
    core::ScoreIndex scores(ledger, shape.demand, shape.scorers, &shape.rule);
    const core::FitIndex fits(ledger, shape.demand, core::NumFit::percolated, &shape.rule);
    REQUIRE(shape.scores.best() == scores.best());
    REQUIRE(shape.scores.feasible_count() == scores.feasible_count());
    REQUIRE(shape.scores.refused_count() == scores.refused_count());
    for (std::uint32_t node = 0; node < ledger.topology().node_count(); ++node) {
        CAPTURE(node);
        REQUIRE(shape.fits.fit(core::NodeId{node}) == fits.fit(core::NodeId{node}));
    }
}

}  // namespace

TEST_CASE("providers: indexes that catch up are as built anew", "[property][providers]") {
    std::size_t shared = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(60); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_cloud(dice);
        const core::ProviderTerms terms(*tree);
        core::Ledger ledger(tree);
        const auto choice = static_cast<sim::CandidateChoice>(dice.roll(0, 2));
        sim::ServerProviders providers(ledger, {choice});
        std::vector<std::unique_ptr<Followed>> shapes;
        while (shapes.size() < 4) {
            auto query = tests::pod_query(tests::random_pod_query(dice));
            if (!terms.unknown(query->query)) {
                auto demand = *terms.demand(query->query);
                shapes.push_back(std::make_unique<Followed>(
                    ledger, providers, std::move(query), std::move(demand)));
            }
        }
        std::vector<Placed> placed;
        for (int step = 0; step < 30; ++step) {
            providers.catch_up();
            const auto number = static_cast<std::size_t>(dice.roll(0, 3));
            Followed& shape = *shapes[number];
            shape.scores.catch_up();
            if (const auto server = shape.scores.best(); server && dice.chance(65)) {
                placed.push_back({number, *server, providers.take(*shape.query, *server)});
                ledger.claim(*server, taken(shape, *placed.back().grant), 1);
            } else if (!placed.empty()) {
                const auto which = dice.roll(0, std::ssize(placed) - 1);
                const Placed gone = placed[static_cast<std::size_t>(which)];
                placed.erase(placed.begin() + which);
                providers.give_back(gone.server, *gone.grant);
                ledger.release(gone.server, taken(*shapes[gone.shape], *gone.grant), 1);
            }
            for (const auto& each : shapes) {
                check_same(*each, ledger);
            }
            shared += std::ranges::any_of(providers.shared(),
                                          [](const sim::SharedUse& use) { return use.used > 0; })
                          ? 1U
                          : 0U;
        }
    }
    CHECK(shared > 200);
}
