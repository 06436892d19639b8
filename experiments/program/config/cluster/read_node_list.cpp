#include "experiments/program/config/cluster/read_node_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/node_rules/labels.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/alibaba_nodes_reader.hpp"
#include "topologies/kubernetes_nodes.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using topologies::InventedLevel;

/// Reads `[{name: rack, servers: 16}, {name: room, racks: 8}]`, which goes upwards: each level says
/// how many nodes of the level below it has. Returns the levels downwards.
std::vector<InventedLevel> read_levels(const Value* list, Diagnostics& diagnostics) {
    constexpr std::int64_t children_max = 1'000'000;
    std::vector<InventedLevel> levels;
    if (list == nullptr) {
        return levels;
    }
    if (!list->is_list()) {
        expected(*list, "a list such as [{name: rack, servers: 16}]", diagnostics);
    }
    std::string below = "server";
    for (const Value& item : list->items) {
        MapReader map(item, "a level of nodes", diagnostics);
        InventedLevel level;
        (void)map.need("name");
        level.name = map.text("name", "");
        (void)map.need(below + "s");
        level.children = static_cast<std::uint32_t>(map.integer(below + "s", 1, 1, children_max));
        map.report_unknown_keys();
        below = level.name;
        levels.push_back(std::move(level));
    }
    std::ranges::reverse(levels);
    return levels;
}

constexpr std::int64_t added_max = 1'000'000;

/// Puts a member into a map, where it replaces a member of the same key. A value that is no map
/// becomes one.
Value& put(Value& map, const std::string& key, Value value) {
    map.kind = Value::Kind::map;
    Value* const there = map.find(key);
    if (there != nullptr) {
        *there = std::move(value);
        return *there;
    }
    const core::SourceSpan span = value.span;
    return map.members.emplace_back(key, span, std::move(value)).value;
}

class AddedNodes {
public:
    AddedNodes(const Value& document, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
        for (const Value* node : topologies::kubernetes_nodes_in(document)) {
            if (const Value* name = value_below(*node, {"metadata", "name"})) {
                by_name_.emplace(name->text, node);
            }
        }
    }

    std::vector<topologies::NodeCopies> read(const Value& add) {
        if (!add.is_list()) {
            expected(add, "a list such as [{like: NODE, count: 10}]", diagnostics_);
        }
        for (const Value& entry : add.items) {
            read_entry(entry);
        }
        return std::move(nodes_);
    }

private:
    void read_entry(const Value& entry) {
        MapReader map(entry, "an entry of add", diagnostics_);
        const Value* like = map.need("like");
        const std::int64_t count = map.integer("count", 1, 0, added_max);
        const Value* labels = map.take("labels");
        map.report_unknown_keys();
        if (labels != nullptr) {
            (void)core::read_labels(*labels, diagnostics_);
        }
        const auto known = like == nullptr ? by_name_.end() : by_name_.find(like->text);
        if (known != by_name_.end()) {
            add_nodes(known->first, *known->second, count, labels);
        } else if (like != nullptr) {
            std::vector<std::string> names;
            for (const auto& [name, node] : by_name_) {
                names.push_back(name);
            }
            diagnostics_.error(
                like->span,
                fmt::format("unknown node '{}': expected one of the {} of the list{}",
                            like->text,
                            names.size(),
                            core::suggestion(like->text, names)));
        }
    }

    void add_nodes(const std::string& like,
                   const Value& node,
                   std::int64_t count,
                   const Value* labels) {
        topologies::NodeCopies& copies = nodes_.emplace_back();
        copies.node = node;
        Value& metadata = *copies.node.find("metadata");
        for (std::size_t i = 0; labels != nullptr && i < labels->members.size(); ++i) {
            Value* own = metadata.find("labels");
            own = own != nullptr ? own : &put(metadata, "labels", {});
            put(*own, labels->members[i].key, labels->members[i].value);
        }
        for (std::int64_t added = 0; added < count; ++added) {
            std::string name;
            do {
                name = fmt::format("{}-added-{}", like, ++numbers_[like]);
            } while (by_name_.contains(name));
            copies.names.push_back(std::move(name));
        }
    }

    Diagnostics& diagnostics_;
    std::map<std::string, const Value*> by_name_;
    std::map<std::string, std::int64_t> numbers_;  ///< The last number given to a copy of each
                                                   ///< node.
    std::vector<topologies::NodeCopies> nodes_;
};

}  // namespace

std::optional<core::Topology> read_node_list(const Value& nodes,
                                             const core::ResourceSchema& also,
                                             Diagnostics& diagnostics) {
    MapReader map(nodes, "topology.nodes", diagnostics);
    const bool openb = map.choice("format", {"openb", "spot"}, 0) == 0;
    (void)map.need("file");
    const std::string file = map.text("file", "");
    (void)map.take("sha256");  // was checked against the file when the experiment was resolved
    const std::vector<InventedLevel> levels = read_levels(map.take("levels"), diagnostics);
    map.report_unknown_keys();
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    const auto read = openb ? topologies::read_openb_nodes : topologies::read_spot_nodes;
    return read(read_source(file), levels, also, diagnostics);
}

std::vector<topologies::NodeCopies> read_added_nodes(const Value& add,
                                                     const Value& document,
                                                     Diagnostics& diagnostics) {
    return AddedNodes(document, diagnostics).read(add);
}

}  // namespace berth::experiments
