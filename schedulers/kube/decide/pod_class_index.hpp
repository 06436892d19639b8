#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "schedulers/kube/decide/company_scores.hpp"
#include "schedulers/kube/decide/cycle.hpp"
#include "schedulers/kube/decide/node_scores.hpp"
#include "schedulers/kube/decide/open_domains.hpp"
#include "schedulers/kube/decide/ranked_numbers.hpp"

namespace berth::core::kube {

/// Whether filters and scores ask a node about the pod without a look at other nodes, but for
/// domains and layers that OpenDomains and CompanyScores know, as far as the pod itself says: it
/// requires no affinity to pods, and has no ports and no node of its own.
[[nodiscard]] bool asks_each_node_alone(const Pod& pod);

/// Whether no node and no domain tells two such pods apart. `constraints` are those of both pods on
/// how they spread.
[[nodiscard]] bool is_alike(const Pod& a,
                            const Pod& b,
                            const std::vector<SpreadConstraint>& constraints);

/// The feasible nodes of a cluster and their scores, for pods that are alike and ask each node
/// alone, as long as none waits for a node and no running pod's terms match them. Such terms may,
/// if these pods have terms too.
///
/// Cost: making it filters and scores each node once, and it holds up to 250 bytes for each node.
///       Afterwards a change of a node costs that node's filters and scores and O(log n), and a
///       choice O(log^2 n), or O(n) if the greatest raw scores are others than before.
///       Constraints add the cost of OpenDomains, and O(log n) for each node of a domain that
///       opens or closes. If these are many nodes and the set of open domains is none of the last
///       8, a choice costs O(n). Each of these sets holds up to 200 bytes for each node. Layers of
///       CompanyScores add O(log^2 n) and, for each of these sets, 32 bytes for each node each.
class PodClassIndex {
public:
    /// CompanyScores::are_few_layers() says yes. The cluster must outlive the index.
    PodClassIndex(Pod pod, Cluster& cluster);

    /// What find_feasible() and choose_node() decide. Like them it moves `next_start` on. Nothing
    /// if no node is feasible, if there are too many layers, or if the filters of a node fail.
    [[nodiscard]] std::optional<Choice> choose();

    /// Whether there are so many layers that the plain search is not slower.
    [[nodiscard]] bool has_too_many_layers() const { return company_.size() > 64; }

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

    /// The feasible nodes among those of open domains.
    struct View {
        OpenDomains::Set open;
        RawScores greatest;  ///< The totals are normalised by these.
        RankedNumbers totals{
            {}};  ///< The layers are those of CompanyScores; their points are added later.
        /// The raw scores; nothing if those of all nodes are 0.
        std::optional<RankedNumbers> taints;
        std::optional<RankedNumbers> preferences;
    };

    void look_at_all();
    void catch_up();
    void look_at(std::size_t node);
    [[nodiscard]] Number points(std::size_t position);
    [[nodiscard]] View& view();
    void fill(View& view) const;
    void look_at(std::size_t node, View& view) const;
    [[nodiscard]] bool is_near(const View& view) const;
    void open_and_close(View& view) const;
    [[nodiscard]] Number total(std::size_t node, const View& view) const;
    [[nodiscard]] Number raw(std::size_t node,
                             const View& view,
                             std::int64_t RawScores::* plugin) const;
    void normalise_for(RankedNumbers::Arc arc, View& view) const;
    [[nodiscard]] RankedNumbers rank_totals(const View& view) const;
    [[nodiscard]] std::int64_t weight(ScorePlugin plugin) const;

    Cluster& cluster_;
    Pod pod_;
    CycleState state_;
    NodeScores scores_;
    std::vector<FixedScores> fixed_;
    bool has_taints_ = false;  ///< Whether a node's raw score is not 0.
    bool has_preferences_ = false;
    bool has_failed_ = false;  ///< The filters of a node failed, which is left to the plain search.
    std::size_t changes_seen_ = 0;
    /// For each feasible node, the weighted scores that are not normalised by those of others.
    std::vector<Number> points_;
    OpenDomains domains_;
    CompanyScores company_;
    std::list<View> views_;  ///< The one that was used last comes first.
};

}  // namespace berth::core::kube
