#include "experiments/program/config/cluster/node_objects.hpp"

#include "experiments/program/config/document/value_below.hpp"
#include "topologies/kubernetes_nodes.hpp"

namespace berth::experiments {

using core::Value;

std::vector<const Value*> node_objects(const Value& topology) {
    const Value* document = value_below(topology, {"nodes", "document"});
    document = document != nullptr ? document : value_below(topology, {"document"});
    return document != nullptr ? topologies::kubernetes_nodes_in(*document)
                               : std::vector<const Value*>();
}

}  // namespace berth::experiments
