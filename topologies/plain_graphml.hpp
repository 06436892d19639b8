#pragma once

#include <istream>
#include <optional>

#include "topologies/graphml_texts.hpp"

namespace berth::topologies {

/// Reads GraphML as programs write it, a tag at a time: a graph of vertices and then of directed
/// edges, whose data are texts and whole numbers, with no tag of any other kind.
///
/// Returns: nothing for whatever else GraphML may be, and where anything is wrong: read_graphml()
///          reads that, with the graph library, in many times the memory.
/// Cost:    memory for what it returns; for the vertices' ids, unless they are n0, n1, ...
[[nodiscard]] std::optional<GraphmlTexts> read_plain_graphml_texts(std::istream& in);

}  // namespace berth::topologies
