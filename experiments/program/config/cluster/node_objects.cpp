#include "experiments/program/config/cluster/node_objects.hpp"

#include <string>

#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {

using core::Value;

std::vector<const Value*> node_objects(const Value& topology) {
    const Value* document = value_below(topology, {"nodes", "document"});
    document = document != nullptr ? document : value_below(topology, {"document"});
    if (document == nullptr) {
        return {};
    }
    const std::string kind = text_below(*document, {"kind"});
    if (kind == "Node") {
        return {document};
    }
    std::vector<const Value*> nodes;
    const Value* items = value_below(*document, {"items"});
    if ((kind == "NodeList" || kind == "List") && items != nullptr) {
        for (const Value& item : items->items) {
            const Value* of_item = value_below(item, {"kind"});
            if (of_item != nullptr ? of_item->text == "Node" : kind == "NodeList") {
                nodes.push_back(&item);
            }
        }
    }
    return nodes;
}

}  // namespace berth::experiments
