#pragma once

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

/// What each of a row of nodes is labelled with. Each label is kept once, however many have it.
class NodeLabels {
public:
    /// The next node and its labels.
    void add(const std::vector<std::pair<std::string_view, std::string_view>>& labels);
    /// The rows of these nodes, in this order.
    [[nodiscard]] NodeLabels picked(const std::vector<std::uint32_t>& nodes) const;

    [[nodiscard]] bool empty() const { return of_node_.empty(); }
    /// By node, whether it has a label of this key with a value for which `holds` says so.
    /// Cost: O(labels of all nodes), and a call for each value of the key.
    [[nodiscard]] std::vector<bool> nodes_where(
        const std::string& key, const std::function<bool(const std::string& value)>& holds) const;

private:
    using Label = std::pair<std::string, std::string>;
    std::map<Label, std::uint32_t, std::less<>> numbers_;
    std::vector<std::uint32_t> begin_{0};  ///< Into of_node_; one more than nodes.
    std::vector<std::uint32_t> of_node_;   ///< Numbers of labels.
};

/// Whether any server of the topology has labels, its own or its machine type's.
[[nodiscard]] bool knows_labels(const Topology& topology);

/// By server, whether its label of this key, its own or that of its machine type, has a value for
/// which `holds` says so. Cost: as NodeLabels::nodes_where().
[[nodiscard]] std::vector<bool> servers_where(
    const Topology& topology,
    const std::string& key,
    const std::function<bool(const std::string& value)>& holds);

/// By server, whether it has all of these labels, its own or those of its machine type.
/// Cost: O(labels of all servers) for each label.
[[nodiscard]] std::vector<bool> servers_with(const Topology& topology, const Labels& labels);

}  // namespace berth::core
