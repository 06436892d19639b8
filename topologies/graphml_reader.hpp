#pragma once

#include <istream>
#include <optional>
#include <string>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// Reads a GraphML file: a directed tree with an edge from each parent to each child.
///
/// Every vertex has a `name`, and optionally `level` (the name of its level) or `depth` (0 for the
/// root). A server may have `type`, the name of its machine type. Every other attribute is a
/// resource, and its value on a server is a Kubernetes quantity; a vertex without a value has none
/// of it. Servers with equal type and amounts share a machine type; GraphML has no devices.
///
/// Shape:  resources are sorted by name, then come those of `also`. Siblings keep the file's order.
/// Errors: InputError naming `file` for a file that is no XML, no GraphML or no tree (a second root
///         or parent, a cycle, branches of uneven depth), and for a wrong amount.
/// Cost:   about 80 us and 16 KiB for each node, because BGL holds the whole XML tree:
///         read_plain_graphml() is for files as programs write them.
[[nodiscard]] core::Topology read_graphml(std::istream& in,
                                          const std::string& file,
                                          const core::ResourceSchema& also);

/// Does the same for a file as programs write it, one block at a time.
/// Returns: nothing if read_graphml() has to read the file, or to say what is wrong with it.
/// Cost:    about 2 us and 100 bytes for each node.
[[nodiscard]] std::optional<core::Topology> read_plain_graphml(std::istream& in,
                                                               const core::ResourceSchema& also);

}  // namespace berth::topologies
