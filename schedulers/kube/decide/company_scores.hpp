#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/kube/decide/domain_counts.hpp"

namespace berth::core::kube {

/// What other pods give to the scores of nodes for a class of pods: by constraints that are not
/// hard on how the pod spreads, and by preferred terms of the pod and of running pods. All nodes of
/// a layer have the same points. A node's layer follows from the pods in the domains of the node.
///
/// Cost: making it looks at each node once for each constraint and term. Afterwards a change of a
///       node costs O(log n) for that node and for each other whose layer changes, and the points
///       cost O(layers).
class CompanyScores {
public:
    using Layer = std::uint32_t;

    /// Whether few layers have all nodes: the constraints count pods by node, or by a label of at
    /// most 16 values.
    [[nodiscard]] static bool are_few_layers(const Pod& pod, const Cluster& cluster);

    /// Terms of running pods count if the pod has terms. The cluster must outlive the scores.
    CompanyScores(const Pod& pod, Cluster& cluster);

    /// Whether running pods have a term that matches the pod and that was not there before. If so,
    /// the scores must be made anew.
    [[nodiscard]] bool lacks_term(const Pod& pod);

    /// Counts the pods of a node anew. Returns: the other nodes whose layers changed, until the
    /// next call.
    std::span<const std::size_t> look_at(std::size_t node);

    [[nodiscard]] const std::vector<Layer>& layer_of() const { return layer_of_; }
    /// How many layers have nodes.
    [[nodiscard]] std::size_t size() const { return numbers_.size(); }

    /// The points of each layer, with the weights of the plugins, if so many nodes are scored. They
    /// are in the layers that have a number in `scored`, which may be shorter.
    [[nodiscard]] std::vector<std::int64_t> points(
        const std::vector<std::optional<std::int64_t>>& scored, std::size_t nodes) const;

private:
    /// A constraint or a term. For a layer it has a number: the value of its label if they are few,
    /// or else the pods of that value.
    struct Part {
        DomainCounts counts;
        bool by_value = false;
        std::int64_t factor = 1;  ///< The weight of a term; the maxSkew of a constraint.
        bool by_host = false;     ///< Each node is a domain.
        /// The nodes of each value, unless it is by value.
        std::vector<std::vector<std::size_t>> nodes;
    };
    /// The numbers of the parts.
    using Key = std::vector<std::int64_t>;
    struct LayerState {
        Key key;
        std::size_t nodes = 0;
    };

    void add_constraints(const Pod& pod);
    void add_terms(const Pod& pod);
    void add_term(const PodTerm& term, DomainCounts::Pods pods, std::int64_t factor);
    [[nodiscard]] Key key_of(std::size_t node) const;
    void enter(std::size_t node, const Key& key);
    void change_layer(std::size_t node);
    using Scored = std::vector<std::optional<std::int64_t>>;
    [[nodiscard]] std::vector<double> weights(const Scored& scored, std::size_t nodes) const;
    [[nodiscard]] std::int64_t raw_of_spread(const Key& key,
                                             const std::vector<double>& weights) const;
    [[nodiscard]] std::int64_t raw_of_terms(const Key& key) const;

    Cluster* cluster_;
    bool has_terms_;
    std::size_t terms_tried_ = 0;  ///< So many terms of running pods were tried.
    std::size_t constraints_ = 0;  ///< So many parts are constraints; the others are terms.
    std::vector<Part> parts_;
    std::vector<Layer> layer_of_;
    std::vector<LayerState> layers_;  ///< One without nodes is used again.
    std::map<Key, Layer> numbers_;
    std::vector<std::size_t> moved_;
};

}  // namespace berth::core::kube
