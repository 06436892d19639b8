#include "core/index/score_index.hpp"

#include <algorithm>
#include <span>

#include "core/index/scorer.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
ScoreIndex::ScoreIndex(const Ledger& ledger,
                       std::vector<Amount> demand,
                       const std::vector<WeightedScorer>& scorers,
                       const ServerRule* rule)
    : ledger_(ledger),
      tree_(ledger.topology()),
      demand_(std::move(demand)),
      scorers_(scorers),
      rule_(rule),
      changes_(&ledger.changes()),
      rule_changes_(rule != nullptr ? rule->score_changes() : nullptr),
      score_(tree_.server_count(), infeasible, infeasible),
      lacks_(tree_.server_count(), demand_.size()) {
    BERTH_ASSERT(demand_.size() < 64, "one bit a resource, and one for the rule");
    BERTH_ASSERT(demand_.size() == ledger.resource_count(), "a demand is by the schema");
    rescore_all();
}

/// Similar servers mostly stand beside each other, so their score is computed once.
void ScoreIndex::rescore_all() {
    std::span<const Amount> last_capacity;
    std::span<const Amount> last_available;
    std::int64_t last_score = 0;
    const auto score_of = [&](std::span<const Amount> capacity, std::span<const Amount> available) {
        if (last_capacity.data() == nullptr || !std::ranges::equal(available, last_available) ||
            !std::ranges::equal(capacity, last_capacity)) {
            last_capacity = capacity;
            last_available = available;
            last_score = weighted_score(scorers_, capacity, available, demand_);
        }
        return last_score;
    };
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        rescore(server, score_of);
    }
}

void ScoreIndex::rescore(std::uint32_t server) {
    rescore(server, [this](std::span<const Amount> capacity, std::span<const Amount> available) {
        return weighted_score(scorers_, capacity, available, demand_);
    });
}

template <class ScoreOf>
void ScoreIndex::rescore(std::uint32_t server, ScoreOf score_of) {
    ++servers_scored_;
    score_.fetch(server);
    const NodeId node = tree_.node_of(ServerId{server});
    const auto available = ledger_.available(node);
    Lacks lacking = lacking_amounts(ledger_, ServerId{server}, demand_);
    std::int64_t score = infeasible;
    if (lacking == 0) {
        const auto gain =
            rule_ != nullptr ? rule_->score(ServerId{server}) : std::optional<std::int64_t>(0);
        lacking = gain ? 0 : lacks_rule;
        score = gain.value_or(infeasible);
    }
    if (lacking == 0) {
        score += score_of(ledger_.capacity(node), available);
    }
    BERTH_ASSERT(lacking != 0 || score >= 0,
                 "a server that fits scores more than one that does not");
    // A server that fitted before and still fits lacks nothing, before and now, so its record need
    // not be read from memory.
    if (lacking != 0 || score_[server] == infeasible) {
        lacks_.set(ServerId{server}, lacking);
    }
    score_.set(server, score);
}

void ScoreIndex::catch_up() {
    if (changes_.has_missed() || rule_changes_.has_missed()) {
        rescore_all();
        changes_.skip();
        rule_changes_.skip();
    }
    for (ChangeReader* reader : {&changes_, &rule_changes_}) {
        while (const auto server = reader->next()) {
            rescore(server->index);
        }
    }
    BERTH_AUDIT(agrees_with_scores(),
                "the first best server is known, and those that fit are counted");
}

/// Checks that the first server with the highest score is known, and that all servers that fit are
/// counted.
bool ScoreIndex::agrees_with_scores() const {
    const auto fits = [](std::int64_t score) { return score != infeasible; };
    return std::ranges::max_element(score_) - score_.begin() == score_.first() &&
           std::ranges::count_if(score_, fits) == lacks_.feasible();
}

std::optional<ServerId> ScoreIndex::best() {
    const std::uint32_t server = score_.first();
    return score_[server] == infeasible ? std::nullopt : std::optional(ServerId{server});
}

}  // namespace berth::core
