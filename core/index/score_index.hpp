#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/index/first_best.hpp"
#include "core/index/lack_counts.hpp"
#include "core/index/pod_index.hpp"
#include "core/index/scorer.hpp"
#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"

namespace berth::core {

/// The PodIndex of one pod shape under weighted scorers.
///
/// Cost:  building is O(servers); afterwards catch_up() costs O(log servers) for each server that
///        changed, and best() as much, where the logarithm is to the base of eight: seven levels
///        for a million servers.
/// Order: equal scores go to the first server of the tree.
class ScoreIndex final : public PodIndex {
public:
    /// `demand` is by the ledger's schema, with at most 63 resources. `rule` may be nullptr;
    /// otherwise both it and the scorers outlive the index.
    ScoreIndex(const Ledger& ledger,
               std::vector<Amount> demand,
               const std::vector<WeightedScorer>& scorers,
               const ServerRule* rule);

    void catch_up() override;
    [[nodiscard]] std::optional<ServerId> best() override;
    [[nodiscard]] bool fits(ServerId server) const override {
        return score_[server.index] != infeasible;
    }
    [[nodiscard]] std::uint32_t feasible_count() const override { return lacks_.feasible(); }
    [[nodiscard]] std::uint32_t insufficient_count(std::size_t resource) const override {
        return lacks_.insufficient(resource);
    }
    [[nodiscard]] std::uint32_t refused_count() const override { return lacks_.refused(); }
    [[nodiscard]] std::optional<Violation> find_violation() const override;
    [[nodiscard]] std::uint64_t servers_scored() const override { return servers_scored_; }

private:
    static constexpr std::int64_t infeasible = -1;
    void rescore(std::uint32_t server);
    /// `score_of(capacity, available)` is what the scorers say of such a server.
    template <class ScoreOf>
    void rescore(std::uint32_t server, ScoreOf score_of);
    void rescore_all();
    [[nodiscard]] bool agrees_with_scores() const;

    const Ledger& ledger_;
    const Topology& tree_;
    std::vector<Amount> demand_;
    const std::vector<WeightedScorer>& scorers_;
    const ServerRule* rule_;
    ChangeReader changes_;
    ChangeReader rule_changes_;
    FirstBest<std::int64_t> score_;  ///< The score of each server.
    LackCounts lacks_;
    std::uint64_t servers_scored_ = 0;
};

}  // namespace berth::core
