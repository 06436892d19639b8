#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/index/score_index.hpp"

namespace berth::core {

std::optional<Violation> ScoreIndex::find_violation() const {
    const ScoreIndex fresh(ledger_, demand_, scorers_, rule_);
    const auto path = [&](std::uint32_t server) { return tree_.path(tree_.node_of({server})); };
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        if (score_[server] != fresh.score_[server]) {
            return Violation{"a score index has the scores of an index that is built anew",
                             path(server),
                             fmt::format("{}", score_[server]),
                             fmt::format("{}", fresh.score_[server])};
        }
    }
    const auto first_best = std::ranges::max_element(score_);
    const auto best = static_cast<std::uint32_t>(first_best - score_.begin());
    if (score_.first() != best) {
        return Violation{"a score index knows the first server with the highest score",
                         "the cluster",
                         path(score_.first()),
                         path(best)};
    }
    const auto counts = [&](const ScoreIndex& index) {
        std::string text = fmt::format(
            "{} that fit, {} that a rule refuses", index.feasible_count(), index.refused_count());
        for (std::size_t r = 0; r < demand_.size(); ++r) {
            text += fmt::format(
                ", {} of too little {}", index.insufficient_count(r), tree_.resources().name(r));
        }
        return text;
    };
    if (counts(*this) != counts(fresh)) {
        return Violation{"a score index counts the servers that lack something",
                         "the cluster",
                         counts(*this),
                         counts(fresh)};
    }
    return std::nullopt;
}

}  // namespace berth::core
