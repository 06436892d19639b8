#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedulers/kube/decide/cycle.hpp"
#include "schedulers/kube/decide/node_scores.hpp"
#include "schedulers/kube/decide/ranked_numbers.hpp"

namespace berth::core::kube {

/// Whether filters and scores ask a node about the pod without a look at other nodes, as far as the
/// pod itself says: it has no terms about other pods, no constraints on how it spreads, no ports,
/// and no node of its own.
[[nodiscard]] bool asks_each_node_alone(const Pod& pod);

/// Whether no node tells two such pods apart.
[[nodiscard]] bool is_alike(const Pod& a, const Pod& b);

/// The feasible nodes of a cluster and their scores, for pods that are alike and ask each node
/// alone, as long as no other pod counts for them and none waits for a node.
///
/// Cost: making it filters and scores each node once, and it holds up to 250 bytes for each node.
///       Afterwards a change of a node costs that node's filters and scores and O(log n), and a
///       choice O(log^2 n), or O(n) if the greatest raw scores are others than before.
class PodClassIndex {
public:
    /// The cluster must outlive the index.
    PodClassIndex(Pod pod, Cluster& cluster);

    /// What find_feasible() and choose_node() decide. Like them it moves `next_start` on. Nothing
    /// if no node is feasible.
    [[nodiscard]] std::optional<Choice> choose();

private:
    using Number = RankedNumbers::Number;

    /// Scores that are not normalised, or the greatest ones of several nodes.
    struct RawScores {
        std::int64_t taints = 0;
        std::int64_t preference = 0;
        friend bool operator==(const RawScores&, const RawScores&) = default;
    };
    /// What of a node's scores never changes. The score of images has its weight.
    struct FixedScores {
        std::int64_t images = 0;
        RawScores raw;
    };

    void look_at_all();
    void catch_up();
    void look_at(std::size_t node);
    [[nodiscard]] Number points(std::size_t position) const;
    [[nodiscard]] Number total(std::size_t node) const;
    [[nodiscard]] Number raw(std::size_t node, std::int64_t RawScores::* plugin) const;
    void normalise_for(RankedNumbers::Arc arc);
    [[nodiscard]] std::int64_t weight(ScorePlugin plugin) const;

    Cluster& cluster_;
    Pod pod_;
    CycleState state_;
    NodeScores scores_;
    std::vector<FixedScores> fixed_;
    std::size_t changes_seen_ = 0;
    /// For each feasible node, the weighted scores that are not normalised by those of others.
    std::vector<Number> points_;
    RawScores greatest_;  ///< The totals are normalised by these.
    RankedNumbers totals_;
    /// The raw scores of feasible nodes; nothing if those of all nodes are 0.
    std::optional<RankedNumbers> taints_;
    std::optional<RankedNumbers> preferences_;
};

}  // namespace berth::core::kube
