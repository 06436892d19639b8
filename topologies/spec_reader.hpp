#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::topologies {

/// Generates the tree that the `spec` of a `kind: Topology` describes by `levels`, `machines` and
/// `machineTypes` (docs/reference/topology.md).
///
/// Shape:  the root is `cluster`; a node is named `LEVEL-INDEX`, counted across the whole level.
///         The resources of `also` exist as well, with capacity 0 where no type names them.
/// Errors: recorded, up to 2^31 nodes are allowed; nothing is returned once one was.
/// Cost:   O(nodes): a million servers take a fraction of a second.
[[nodiscard]] std::optional<core::Topology> read_topology_spec(const core::Value& spec,
                                                               const core::ResourceSchema& also,
                                                               core::Diagnostics& diagnostics);

}  // namespace berth::topologies
