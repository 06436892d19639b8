#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::core::kube {

/// How many pods there are for each value of a label, among the nodes that count. The counts follow
/// the pods that come and leave.
///
/// Cost: making it looks at each node once, and afterwards a change of a node costs O(log n).
class DomainCounts {
public:
    /// Which pods count: those that match, or those with a term, by its place in a list of running
    /// pods' terms and with its weights. If there is neither, none counts.
    struct Pods {
        std::optional<PodQuery> query;
        const RunningTerms* terms = nullptr;
        std::size_t place = 0;
    };

    /// `counts_node` says for each node whether its pods count.
    DomainCounts(std::shared_ptr<const NodeLabel> label,
                 Pods pods,
                 std::vector<bool> counts_node,
                 Cluster& cluster);

    /// Counts the pods of a node anew. Returns: by how many its value has more than before.
    std::int64_t look_at(std::size_t node, Cluster& cluster);

    [[nodiscard]] const NodeLabel& label() const { return *label_; }
    [[nodiscard]] bool counts_node(std::size_t node) const { return counts_node_[node]; }
    /// The pods of a value of the label, and of the value of a node.
    [[nodiscard]] std::int64_t of_value(std::uint32_t value) const { return counts_[value]; }
    [[nodiscard]] std::int64_t of_node(std::size_t node) const {
        return counts_[label_->of_node[node]];
    }

private:
    [[nodiscard]] std::int64_t pods_on(std::size_t node, Cluster& cluster) const;

    std::shared_ptr<const NodeLabel> label_;
    Pods which_;
    std::vector<bool> counts_node_;
    std::vector<std::int64_t> pods_;    ///< The pods of each node, as they were counted last.
    std::vector<std::int64_t> counts_;  ///< The pods of each value.
};

/// Whether a node has a label, for each node.
[[nodiscard]] std::vector<bool> nodes_with(const NodeLabel& label);

}  // namespace berth::core::kube
