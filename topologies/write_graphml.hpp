#pragma once

#include <ostream>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes the tree as GraphML, which read_graphml() reads back: each node with its `name` and
/// `level`, and each server with its `type` and an attribute for each resource, a Kubernetes
/// quantity. Limits: GraphML has no place for a machine's devices; write_json() keeps them.
void write_graphml(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
