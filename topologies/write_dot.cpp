#include "topologies/writers.hpp"

#include <boost/graph/graphviz.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "core/tree/topology_graph.hpp"

namespace berth::topologies {
namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + '"';
}

}  // namespace

void write_dot(std::ostream& out, const core::Topology& topology) {
    const auto write_vertex = [&topology](std::ostream& to, std::uint32_t vertex) {
        const core::NodeId node{vertex};
        to << "[label=" << quoted(topology.name(node))
           << ", level=" << quoted(topology.level_name(topology.level_of(node)));
        if (topology.is_server(node)) {
            to << ", type=" << quoted(topology.machine_type(topology.server_of(node)).name)
               << ", shape=box";
        }
        to << "]";
    };
    // BGL ends lines with std::endl. Without a buffer in memory, each line would be a system call.
    std::ostringstream buffer;
    boost::write_graphviz(buffer, core::TopologyGraph(topology), write_vertex);
    out << buffer.view();
}

}  // namespace berth::topologies
