#include <Eigen/Core>

#include "topologies/writers.hpp"

#include <boost/graph/graphml.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <string>

#include "core/tree/topology_graph.hpp"

namespace berth::topologies {

void write_graphml(std::ostream& out, const core::Topology& topology) {
    boost::dynamic_properties properties;
    const auto column = [&properties](const std::string& name, auto text_of) {
        properties.property(name,
                            boost::make_function_property_map<std::uint32_t, std::string>(text_of));
    };
    column("name", [&topology](std::uint32_t vertex) {
        return std::string(topology.name(core::NodeId{vertex}));
    });
    column("level", [&topology](std::uint32_t vertex) {
        return topology.level_name(topology.level_of(core::NodeId{vertex}));
    });
    column("type", [&topology](std::uint32_t vertex) {
        const core::NodeId node{vertex};
        return topology.is_server(node) ? topology.machine_type(topology.server_of(node)).name : "";
    });
    const core::ResourceSchema& resources = topology.resources();
    for (std::size_t resource = 0; resource < resources.size(); ++resource) {
        column(resources.name(resource), [&topology, resource](std::uint32_t vertex) {
            const core::NodeId node{vertex};
            if (!topology.is_server(node)) {
                return std::string();
            }
            const core::Amounts& capacity =
                topology.machine_type(topology.server_of(node)).capacity;
            return topology.resources().format(resource,
                                               capacity[static_cast<Eigen::Index>(resource)]);
        });
    }
    const core::TopologyGraph graph(topology);
    boost::write_graphml(out, graph, get(boost::vertex_index, graph), properties, true);
}

}  // namespace berth::topologies
