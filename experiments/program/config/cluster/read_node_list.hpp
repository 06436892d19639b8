#pragma once

#include <optional>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads `topology.nodes` of a format that is a table: openb or spot.
/// Errors: recorded; InputError for a file that cannot be read.
[[nodiscard]] std::optional<core::Topology> read_node_list(const core::Value& nodes,
                                                           const core::ResourceSchema& also,
                                                           core::Diagnostics& diagnostics);

/// Reads `add: [{like: NODE, count: 10, labels: {...}}]`: Kubernetes nodes that are as one of
/// `document`, called NODE-added-1 and so on, with other labels where the entry has some.
///
/// Errors: recorded: a node that is not there, with the nearest that is.
[[nodiscard]] std::vector<core::Value> read_added_nodes(const core::Value& add,
                                                        const core::Value& document,
                                                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
