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
/// resource, and its value on a server a Kubernetes quantity; a vertex without a value has none.
/// Machine types are made from servers that agree in type and amounts; GraphML has no devices.
///
/// Shape:  resources by ascending name, then those of `also`. Siblings keep the file's order.
/// Errors: InputError naming `file`: no XML, no GraphML, no tree (a second root or parent, a cycle,
///         branches of uneven depth), a wrong amount.
/// Cost:   about 80 us and 16 KiB a node, since BGL holds the whole XML tree: read_plain_graphml()
///         is for files as programs write them.
[[nodiscard]] core::Topology read_graphml(std::istream& in,
                                          const std::string& file,
                                          const core::ResourceSchema& also);

/// The same for a file as programs write it, a block at a time.
/// Returns: nothing where read_graphml() has to read it, or to say what is wrong with it.
/// Cost:    about 2 us and 100 bytes a node.
[[nodiscard]] std::optional<core::Topology> read_plain_graphml(std::istream& in,
                                                               const core::ResourceSchema& also);

}  // namespace berth::topologies
