#include "topologies/kubernetes_nodes_reader.hpp"

#include "topologies/kubernetes_nodes.hpp"

namespace berth::topologies {
namespace {

using core::Value;

/// The Nodes of a document: itself, or the items of a list that are Nodes.
std::vector<const Value*> nodes_of(const Value& document) {
    std::vector<const Value*> nodes;
    const Value* kind = document.find("kind");
    if (kind != nullptr && kind->text == "Node") {
        nodes.push_back(&document);
        return nodes;
    }
    const Value* items = document.find("items");
    if (items == nullptr || !items->is_list()) {
        return nodes;
    }
    const bool node_list = kind != nullptr && kind->text == "NodeList";
    for (const Value& item : items->items) {
        const Value* own = item.find("kind");
        if (own != nullptr ? own->text == "Node" : node_list) {  // the API omits kinds in its lists
            nodes.push_back(&item);
        }
    }
    return nodes;
}

}  // namespace

std::vector<LabelLevel> default_label_levels() {
    return {{"region", "topology.kubernetes.io/region", true},
            {"zone", "topology.kubernetes.io/zone", true}};
}

std::optional<core::Topology> read_kubernetes_nodes(const Value& document,
                                                    const std::vector<LabelLevel>& levels,
                                                    const core::ResourceSchema& also,
                                                    core::Diagnostics& diagnostics) {
    const std::vector<const Value*> items = nodes_of(document);
    if (items.empty()) {
        diagnostics.error(document.span, "no nodes: expected one Node at least");
        return std::nullopt;
    }
    KubernetesNodes nodes(levels, diagnostics);
    for (const Value* item : items) {
        nodes.note_levels(*item);
    }
    nodes.choose_levels(document.span);
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    for (const Value* item : items) {
        nodes.read(*item);
    }
    return nodes.finish(also, document.span);
}

}  // namespace berth::topologies
