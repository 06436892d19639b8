#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes the tree as a `kind: Topology` that lists its nodes one by one, a node a line, which
/// read_topology() reads back as the same tree. Nodes have an `id` only where names repeat.
void write_json(std::ostream& out, const core::Topology& topology);

/// `text` as a JSON string, quotes included; what is no UTF-8 is replaced.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace berth::topologies
