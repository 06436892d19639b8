#pragma once

#include <optional>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/kubernetes_nodes.hpp"

namespace berth::topologies {

/// Generates the tree that the `spec` of a `kind: Topology` describes with `levels`, `machines` and
/// `machineTypes` (docs/reference/topology.md).
///
/// Shape:  the root is `cluster`; a node is named `LEVEL-INDEX`, numbered across the whole level.
///         The resources of `also` exist too, with capacity 0 if no type names them.
/// Errors: recorded; nothing is returned if there were any. Up to 2^31 nodes are allowed.
/// Cost:   O(nodes): a million servers take a fraction of a second.
[[nodiscard]] std::optional<core::Topology> read_topology_spec(const core::Value& spec,
                                                               const core::ResourceSchema& also,
                                                               core::Diagnostics& diagnostics);

/// Whether a document of this `kind` holds a topology: Topology, TopologyTree, Node, NodeList,
/// List.
[[nodiscard]] bool is_topology_kind(std::string_view kind);

/// Reads a document of any such kind. `levels` is only for Kubernetes nodes. The resources of
/// `also` exist in the result even if no server has any.
/// Errors: recorded; nothing is returned if there were any. `diagnostics` must have none before.
[[nodiscard]] std::optional<core::Topology> read_topology(
    const core::Value& document,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics,
    const std::vector<LabelLevel>& levels = default_label_levels());

/// Returns the `spec` of a Topology or TopologyTree and checks the other keys.
/// Errors: recorded.
[[nodiscard]] const core::Value* read_topology_frame(const core::Value& document,
                                                     const std::string& kind,
                                                     core::Diagnostics& diagnostics);

/// Reads the `spec` of a `kind: Topology` in either form: generated levels, or a list of nodes.
[[nodiscard]] std::optional<core::Topology> read_spec(const core::Value& spec,
                                                      const core::ResourceSchema& also,
                                                      core::Diagnostics& diagnostics);

}  // namespace berth::topologies
