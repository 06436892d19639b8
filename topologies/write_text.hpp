#pragma once

#include <ostream>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes an indented summary for people: neighbours with the same inside share a line, of which
/// the first stands for all further down. Two insides are the same when they have equally many
/// children of each kind, in whatever order.
///
/// Shape: about a hundred lines at most, however large the tree; what is left out is counted.
/// Cost:  O(nodes log nodes).
void write_text(std::ostream& out, const core::Topology& topology);

}  // namespace berth::topologies
