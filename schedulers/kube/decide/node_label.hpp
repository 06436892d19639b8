#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace berth::core::kube {

class Cluster;

/// The values of one label of a cluster's nodes, as numbers in the order of the values.
struct NodeLabel {
    static constexpr std::uint32_t missing = 0;
    static constexpr std::uint32_t empty = 1;

    /// The number of the value of each node, by its position in the cluster.
    std::vector<std::uint32_t> of_node;
    std::uint32_t count = 2;  ///< Numbers are less than this.
};

/// Counts for the values of one label of nodes.
class CountsByValue {
public:
    explicit CountsByValue(std::shared_ptr<const NodeLabel> label)
        : label_(std::move(label)), counts_(label_->count) {}

    [[nodiscard]] bool has(std::size_t node) const {
        return label_->of_node[node] != NodeLabel::missing;
    }
    /// The count for the value that a node has, or 0 if it lacks the label.
    [[nodiscard]] std::int64_t of(std::size_t node) const { return counts_[label_->of_node[node]]; }
    /// Whether all counts are 0.
    [[nodiscard]] bool empty() const { return not_zero_ == 0; }
    /// Changes the count for the value that a node has. Does nothing if it lacks the label.
    void add(std::size_t node, std::int64_t change);

private:
    std::shared_ptr<const NodeLabel> label_;
    std::vector<std::int64_t> counts_;
    std::size_t not_zero_ = 0;
};

/// Counts for labels of nodes and their values.
class CountsByLabel {
public:
    /// Those of one label. They begin with 0.
    [[nodiscard]] CountsByValue& at(const std::string& key, const Cluster& cluster);
    /// Those of a label for which at() was called.
    [[nodiscard]] const CountsByValue& at(const std::string& key) const { return by_key_.at(key); }
    [[nodiscard]] const std::map<std::string, CountsByValue>& all() const { return by_key_; }
    [[nodiscard]] bool empty() const;

private:
    std::map<std::string, CountsByValue> by_key_;
};

}  // namespace berth::core::kube
