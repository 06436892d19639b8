#pragma once

#include <optional>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/kubernetes_nodes.hpp"

namespace berth::experiments {

/// Reads a `topology.nodes` whose format is a table: openb or spot.
/// Errors: recorded; InputError for a file that cannot be read.
[[nodiscard]] std::optional<core::Topology> read_node_list(const core::Value& nodes,
                                                           const core::ResourceSchema& also,
                                                           core::Diagnostics& diagnostics);

/// Reads `add: [{like: NODE, count: 10, labels: {...}}]`: copies of a Kubernetes node of
/// `document`, called NODE-added-1 and so on, with other labels if the entry states some.
///
/// Errors: recorded for a node that does not exist, with the nearest that does.
[[nodiscard]] std::vector<topologies::NodeCopies> read_added_nodes(const core::Value& add,
                                                                   const core::Value& document,
                                                                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
