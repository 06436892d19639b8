#include "topologies/listed_nodes.hpp"

#include <fmt/format.h>

#include <utility>

namespace berth::topologies {

using core::MapReader;
using core::Value;

ListedNodes::ListedNodes(MachineTypes types, core::Diagnostics& diagnostics)
    : diagnostics_(diagnostics), types_(std::move(types)), by_key_(0, Hash{this}, Equal{this}) {}

void ListedNodes::reserve(std::size_t nodes) {
    tree_.nodes.reserve(nodes);
    by_key_.reserve(nodes);
}

std::string_view ListedNodes::key(std::uint32_t node) const {
    return node < ids_.size() && ids_[node] ? *ids_[node] : tree_.nodes[node].name;
}

void ListedNodes::read(const Value& value) {
    MapReader map(value, "a node", diagnostics_);
    const Value* name = map.need("name");
    const Value* id = map.take("id");
    const Value* parent = map.take("parent");
    const Value* type = map.take("type");
    map.report_unknown_keys();
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    LooseTree::Node& node = tree_.nodes.emplace_back();
    if (name != nullptr) {
        node.name = core::read_text(*name, diagnostics_).value_or("");
    }
    if (parent != nullptr) {
        read_parent(index, *parent);
    }
    if (type != nullptr) {
        node.machine_type = types_.find(*type, diagnostics_).value_or(LooseTree::none);
    }
    const Value* key = id ? id : name;
    if (key == nullptr || !key->is_scalar()) {
        return;
    }
    if (by_key_.contains(std::string_view(key->text))) {
        diagnostics_.error(key->span,
                           fmt::format("two nodes are called '{}': expected distinct {}",
                                       key->text,
                                       id ? "ids" : "names, or an id each"));
        return;
    }
    if (id != nullptr) {
        ids_.resize(index + std::size_t{1});
        ids_[index] = id->text;
    }
    by_key_.insert(index);
}

void ListedNodes::read_parent(std::uint32_t node, const Value& parent) {
    if (!core::read_text(parent, diagnostics_)) {
        return;
    }
    const auto known = by_key_.find(std::string_view(parent.text));
    if (known == by_key_.end()) {
        orphans_.push_back({node, parent.text, parent.span});
    } else {
        tree_.nodes[node].parent = *known;
    }
}

void ListedNodes::find_parents() {
    for (const Orphan& orphan : orphans_) {
        const auto known = by_key_.find(std::string_view(orphan.parent));
        if (known == by_key_.end()) {
            diagnostics_.error(
                orphan.span,
                fmt::format("unknown parent '{}': expected the name of a node", orphan.parent));
            continue;
        }
        tree_.nodes[orphan.node].parent = *known;
    }
}

std::optional<core::Topology> ListedNodes::finish(std::vector<std::string> level_names,
                                                  const NodeFault& fault) {
    by_key_.clear();
    const auto order = order_breadth_first(tree_.nodes, fault);
    if (!order) {
        return std::nullopt;
    }
    tree_.level_names = std::move(level_names);
    tree_.resources = std::move(types_.resources);
    tree_.machine_types = std::move(types_.types);
    return assemble(std::move(tree_), *order, fault);
}

}  // namespace berth::topologies
