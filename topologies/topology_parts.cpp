#include "topologies/topology_parts.hpp"

#include <string>
#include <string_view>

#include "topologies/read_topology.hpp"
#include "topologies/tree_reader.hpp"

namespace berth::topologies {
namespace {

using core::Value;

std::string_view kind_of(const Value& map) {
    const Value* kind = map.find("kind");
    return kind == nullptr ? std::string_view() : std::string_view(kind->text);
}

}  // namespace

bool TopologyParts::take_item(const Value& item, const Value& document) {
    if (!items_) {
        items_.emplace(default_label_levels(), diagnostics_);
    }
    const std::string_view kind = kind_of(item);
    if (item.find("kind") == nullptr) {
        // The API omits the kind of items in its lists, and gives the kind of the list first.
        if (kind_of(document) != "NodeList") {
            return false;
        }
    } else if (kind != "Node") {
        return true;
    }
    items_->read(item);
    return !diagnostics_.failed();
}

bool TopologyParts::take_node(const Value& node, const Value& spec) {
    if (!nodes_) {
        const Value* types = spec.find("machineTypes");
        if (types == nullptr || types->kind == Value::Kind::null) {
            return false;
        }
        nodes_.emplace(read_machine_types(*types, {}, diagnostics_), diagnostics_);
        shared_known_ = spec.find("sharedProviders") != nullptr;
    }
    nodes_->read(node);
    return !diagnostics_.failed();
}

int TopologyParts::last_line_shown() const {
    return items_ ? items_->last_line_warned_of() : 0;
}

std::optional<core::Topology> TopologyParts::finish(const Value& document) {
    const std::string kind(kind_of(document));
    if (!items_ && !nodes_) {
        return std::nullopt;
    }
    if (items_) {
        const bool listed = (kind == "List" || kind == "NodeList") && !nodes_;
        if (!listed || items_->empty()) {
            return std::nullopt;
        }
        items_->choose_levels(document.span);
        return items_->finish({}, document.span);
    }
    const Value* spec =
        kind == "Topology" ? read_topology_frame(document, kind, diagnostics_) : nullptr;
    if (spec == nullptr || (spec->find("sharedProviders") != nullptr && !shared_known_)) {
        return std::nullopt;
    }
    return finish_node_list_spec(*spec, *nodes_, diagnostics_);
}

}  // namespace berth::topologies
