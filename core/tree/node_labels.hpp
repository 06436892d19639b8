#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/device_names.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

class Topology;

/// The labels of each of a list of nodes. Each label is stored once, however many nodes have it.
class NodeLabels {
public:
    /// Adds the next node with its labels.
    /// Returns: which of them no node before had, by their indices.
    std::vector<std::size_t> add(
        const std::vector<std::pair<std::string_view, std::string_view>>& labels);
    /// The labels of these nodes only, in this order.
    [[nodiscard]] NodeLabels picked(const std::vector<std::uint32_t>& nodes) const;

    [[nodiscard]] bool empty() const { return of_node_.empty(); }
    /// The labels of each node; empty if no labels were told.
    [[nodiscard]] std::vector<Labels> by_node() const;
    /// Whether any node has a label whose key begins so.
    [[nodiscard]] bool has_key_with(std::string_view beginning) const;
    /// For each node, whether it has a label with this key whose value `holds` accepts.
    /// Cost: O(labels of all nodes), and a call for each value of the key.
    [[nodiscard]] std::vector<bool> nodes_where(
        const std::string& key, const std::function<bool(const std::string& value)>& holds) const;

private:
    using Label = std::pair<std::string, std::string>;
    std::map<Label, std::uint32_t, std::less<>> numbers_;
    /// The beginning of each node's part of of_node_; one more than there are nodes.
    std::vector<std::uint32_t> begin_{0};
    std::vector<std::uint32_t> of_node_;  ///< Numbers of labels, node after node.
};

/// Whether any server of the topology has labels, either its own or those of its machine type.
[[nodiscard]] bool knows_labels(const Topology& topology);

/// For each server, whether its label with this key, its own or that of its machine type, has a
/// value that `holds` accepts.
/// Cost: that of NodeLabels::nodes_where().
[[nodiscard]] std::vector<bool> servers_where(
    const Topology& topology,
    const std::string& key,
    const std::function<bool(const std::string& value)>& holds);

/// For each server, whether it has all of these labels, its own or those of its machine type.
/// Cost: O(labels of all servers) for each label.
[[nodiscard]] std::vector<bool> servers_with(const Topology& topology, const Labels& labels);

}  // namespace berth::core
