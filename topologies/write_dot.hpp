#pragma once

#include <ostream>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes the tree for Graphviz: each node with its `label`, `level` and, for a server, `type`.
void write_dot(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
