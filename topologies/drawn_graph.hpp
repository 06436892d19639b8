#pragma once

#include <boost/property_tree/ptree_fwd.hpp>

namespace berth::topologies {

/// Removes from GraphML, as Gephi, yEd and igraph write it, what the graph library does not know:
/// keys without a name, such as yEd's shapes, and data of edges and of the graph. A node without a
/// name gets its label as its name. `graphml`: the element of this name.
/// Errors: std::runtime_error for a node with a graph inside.
void simplify_drawn_graph(boost::property_tree::ptree& graphml);

}  // namespace berth::topologies
