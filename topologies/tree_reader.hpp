#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/listed_nodes.hpp"

namespace berth::topologies {

/// Reads the `spec` of a `kind: Topology` that lists its nodes one by one, as write_json() writes
/// it: `levels` (names, from the root to the server), `machineTypes`, and `nodes` in any order,
/// each with its `name`, its `parent` (none for the root) and, for a server, its `type`. Where
/// names repeat, each node has an `id` as well, and `parent` names that.
///
/// Errors: recorded at the node for an unknown parent or type, a name that occurs twice, a second
///         root, a cycle, and a branch that does not end at the last level. Nothing is returned if
///         there were any.
[[nodiscard]] std::optional<core::Topology> read_node_list_spec(const core::Value& spec,
                                                                const core::ResourceSchema& also,
                                                                core::Diagnostics& diagnostics);

/// Makes a topology from nodes that were read one by one, and from a spec with everything but
/// these: its list of nodes is empty, and `nodes` already knows its machine types.
///
/// Errors: recorded, but not at the place of the node.
[[nodiscard]] std::optional<core::Topology> finish_node_list_spec(const core::Value& spec,
                                                                  ListedNodes& nodes,
                                                                  core::Diagnostics& diagnostics);

/// Reads the `spec` of a `kind: TopologyTree`: nested maps of names under `tree`, and `level-names`
/// without the root. Such a tree has no capacities: all servers get the `capacity` and `devices` of
/// `machineType`, or none.
///
/// Source: the published placement-group program's samples/testTree.json; `machineType` is berth's
///         addition.
[[nodiscard]] std::optional<core::Topology> read_topology_tree_spec(
    const core::Value& spec, const core::ResourceSchema& also, core::Diagnostics& diagnostics);

}  // namespace berth::topologies
