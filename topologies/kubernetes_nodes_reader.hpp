#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::topologies {

/// A level of the tree and the node label that names a node's place in it.
struct LabelLevel {
    std::string level;
    std::string label;
    bool optional = false;  ///< Left out when no node has the label.
};

/// Region and zone by the well-known labels, each where any node has it.
[[nodiscard]] std::vector<LabelLevel> default_label_levels();

/// Reads a Kubernetes `Node`, `NodeList` or `List`, as `kubectl get nodes -o json` prints it: a
/// tree of `cluster`, then `levels` top-down, then the nodes as level `server`. Items that are no
/// Node are skipped, and so is every field that is not used.
///
/// A node's capacity is `status.allocatable`, or else `status.capacity`; its machine type is named
/// by the label `node.kubernetes.io/instance-type`; its GPUs, by `nvidia.com/gpu.product` and
/// `nvidia.com/gpu.memory`. Nodes without the label of a level stand under a node named `none`
/// there, with one warning a level.
///
/// Shape:  siblings in the order of first appearance; resources likewise, then those of `also`.
/// Errors: recorded: no nodes, a node without name or resources, a wrong amount, one name twice.
[[nodiscard]] std::optional<core::Topology> read_kubernetes_nodes(
    const core::Value& document,
    const std::vector<LabelLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics);

}  // namespace berth::topologies
