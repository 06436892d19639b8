#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"
#include "schedulers/kube/decide/verdict.hpp"

// The plugin PodTopologySpread.
// Source: Kubernetes, pkg/scheduler/framework/plugins/podtopologyspread.

namespace berth::core::kube {

/// The constraints of a pod that are hard, or those that are not: its own if it has any, else the
/// default ones with the selector of the objects that own the pod.
[[nodiscard]] std::vector<SpreadConstraint> spread_constraints(const Pod& pod,
                                                               const Cluster& cluster,
                                                               bool hard);

/// Whether each node is a domain of a constraint.
[[nodiscard]] bool is_by_host(const SpreadConstraint& constraint);

/// Whether nodes without the labels of all constraints get no points by those that are not hard.
[[nodiscard]] bool needs_all_keys(const Pod& pod, const Cluster& cluster);

// The score by constraints that are not hard is the sum of their shares, rounded, and normalised by
// the least and the greatest score of the nodes that are scored.

/// The weight of a constraint whose domains with nodes that are scored are so many.
[[nodiscard]] double spread_weight(std::size_t domains);
/// The share of a constraint with so many pods in the domain.
[[nodiscard]] double spread_share(std::int64_t pods, double weight, std::int64_t max_skew);
[[nodiscard]] std::int64_t spread_points(std::int64_t score, std::int64_t least, std::int64_t most);

/// Which pods of a namespace count for a selector. One that matches everything counts nothing.
[[nodiscard]] std::optional<PodQuery> query_of(const LabelSelector& selector,
                                               const std::string& name_space);

/// Whether a node counts for a constraint of a pod.
[[nodiscard]] bool is_counted(const SpreadConstraint& constraint, const Pod& pod, const Node& node);

/// The two values of a label with the fewest pods. As long as only pods of one node come and go,
/// the first of them is the minimum.
class CriticalPaths {
public:
    /// Values are numbers of a NodeLabel.
    void update(std::uint32_t value, std::int64_t count);
    [[nodiscard]] std::int64_t least() const { return paths_[0].second; }

private:
    static constexpr std::int64_t none = std::numeric_limits<std::int32_t>::max();
    std::array<std::pair<std::uint32_t, std::int64_t>, 2> paths_{
        {{NodeLabel::missing, none}, {NodeLabel::missing, none}}};
};

/// How the pods that match the hard constraints of a pod are spread.
class SpreadState {
public:
    /// Nothing if the pod has no hard constraints.
    [[nodiscard]] static std::optional<SpreadState> of(const Pod& pod, Cluster& cluster);

    /// Counts a pod that comes to a node (1) or leaves it (-1).
    void update(const CountedPod& other, const Pod& pod, const NodeState& node, int change);
    [[nodiscard]] Verdict filter(const Pod& pod, const NodeState& node) const;
    /// Replaces the maxSkew of a constraint, counted from 0.
    void set_max_skew(std::size_t constraint, std::int64_t max_skew) {
        domains_.at(constraint).constraint.max_skew = max_skew;
    }

private:
    struct Domains {
        SpreadConstraint constraint;
        std::shared_ptr<const NodeLabel> label;
        std::vector<std::int64_t> counts;  ///< By value.
        std::int64_t size = 0;             ///< So many values are those of nodes that count.
        CriticalPaths paths;
    };
    [[nodiscard]] bool has_all_keys(std::size_t node) const;

    std::vector<Domains> domains_;
};

/// The scores of nodes, from 0 to 100, by the constraints that are not hard; nothing if there are
/// none. `nodes` are positions in the cluster.
[[nodiscard]] std::optional<std::vector<std::int64_t>> spread_scores(
    const Pod& pod, Cluster& cluster, const std::vector<std::size_t>& nodes);

}  // namespace berth::core::kube
