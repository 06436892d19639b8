#include "topologies/tree_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "topologies/level_plan.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_types.hpp"
#include "topologies/provider_fields.hpp"

namespace berth::topologies {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Reads the names of `min` to `max` levels, which must be distinct.
std::vector<std::string> read_level_names(const Value& list,
                                          std::size_t min,
                                          std::size_t max,
                                          Diagnostics& diagnostics) {
    std::vector<std::string> names;
    if (!list.is_list()) {
        core::expected(list, "a list of the levels' names", diagnostics);
        return names;
    }
    if (list.items.size() < min || list.items.size() > max) {
        diagnostics.error(
            list.span,
            fmt::format("found {} levels: expected {} to {}", list.items.size(), min, max));
    }
    for (const Value& item : list.items) {
        std::string name = core::read_text(item, diagnostics).value_or("");
        if (std::ranges::count(names, name) > 0) {
            diagnostics.error(
                item.span, fmt::format("level '{}' occurs twice: expected distinct names", name));
        }
        names.push_back(std::move(name));
    }
    return names;
}

/// The parts of the spec of a Topology that lists its nodes, and the list itself.
struct ListSpec {
    std::vector<std::string> level_names;
    const Value* nodes = nullptr;
    std::optional<MachineTypes> machine_types;
    std::vector<core::SharedProvider> shared;
};

/// Also reads the machine types, unless they are already known; then `also` is nullptr.
ListSpec read_list_spec(const Value& spec,
                        const core::ResourceSchema* also,
                        Diagnostics& diagnostics) {
    ListSpec out;
    MapReader map(spec, "a Topology's spec", diagnostics);
    if (const Value* levels = map.need("levels")) {
        out.level_names = read_level_names(*levels, 2, levels_max, diagnostics);
    }
    const Value* types = map.need("machineTypes");
    if (types != nullptr && also != nullptr) {
        out.machine_types = read_machine_types(*types, *also, diagnostics);
    }
    out.nodes = map.need("nodes");
    out.shared = read_shared_providers(map.take("sharedProviders"), out.level_names, diagnostics);
    map.report_unknown_keys();
    return out;
}

std::optional<core::Topology> assembled(ListedNodes& nodes, ListSpec spec, const NodeFault& fault) {
    auto tree = nodes.finish(std::move(spec.level_names), fault);
    return tree ? std::optional(core::TopologyBuilder::with_shared_providers(
                      std::move(*tree), std::move(spec.shared)))
                : std::nullopt;
}

/// Flattens nested maps, and remembers the place of each node's name.
class NestedReader {
public:
    explicit NestedReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    void read(const Value& tree) {
        add("root", LooseTree::none, tree.span);
        read_children(tree, 0, 1);
    }

    std::vector<LooseTree::Node> nodes;
    std::vector<core::SourceSpan> spans;  ///< Place of each node.
    std::vector<std::uint32_t> leaves;

private:
    void add(const std::string& name, std::uint32_t parent, const core::SourceSpan& span) {
        nodes.push_back({name, parent, LooseTree::none});
        spans.push_back(span);
    }

    void read_children(const Value& value, std::uint32_t node, std::size_t depth) {
        const Value* level = nullptr;
        if (value.kind != Value::Kind::null) {  // `node-0:` is a leaf like `node-0: {}`
            MapReader map(value, fmt::format("'{}'", nodes[node].name), diagnostics_);
            level = map.take("level");
            map.report_unknown_keys();
        }
        if (level != nullptr && !level->is_map()) {
            core::expected(*level, "a map of nodes", diagnostics_);
        }
        if (level == nullptr || level->members.empty()) {
            leaves.push_back(node);
            return;
        }
        if (depth >= levels_max) {
            diagnostics_.error(level->span,
                               fmt::format("found more levels: expected at most {}", levels_max));
            return;
        }
        for (const core::Member& member : level->members) {
            add(member.key, node, member.key_span);
            read_children(member.value, static_cast<std::uint32_t>(nodes.size() - 1), depth + 1);
        }
    }

    Diagnostics& diagnostics_;
};

/// The resources that the tree names exist even if no server has any.
core::ResourceSchema read_resource_names(const Value* list,
                                         const core::ResourceSchema& also,
                                         Diagnostics& diagnostics) {
    core::ResourceSchema resources;
    if (list != nullptr && !list->is_list()) {
        core::expected(*list, "a list of the resources' names", diagnostics);
    } else if (list != nullptr) {
        for (const Value& item : list->items) {
            const auto name = core::read_text(item, diagnostics);
            if (name && check_resource_name(*name, item.span, diagnostics)) {
                resources.add(*name);
            }
        }
    }
    for (const std::string& name : also.names()) {
        resources.add(name);
    }
    return resources;
}

}  // namespace

std::optional<core::Topology> read_node_list_spec(const Value& spec,
                                                  const core::ResourceSchema& also,
                                                  Diagnostics& diagnostics) {
    ListSpec read = read_list_spec(spec, &also, diagnostics);
    const Value* nodes = read.nodes;
    if (nodes == nullptr || !nodes->is_list() || nodes->items.empty()) {
        if (nodes != nullptr) {
            core::expected(*nodes, "a list of nodes", diagnostics);
        }
        return std::nullopt;
    }
    if (!read.machine_types) {
        return std::nullopt;
    }
    ListedNodes listed(std::move(*read.machine_types), diagnostics);
    listed.reserve(nodes->items.size());
    for (const Value& node : nodes->items) {
        listed.read(node);
    }
    listed.find_parents();
    const NodeFault fault = [&](std::uint32_t node, const std::string& message) {
        diagnostics.error(nodes->items[node].span, message);
    };
    return diagnostics.failed() ? std::nullopt : assembled(listed, std::move(read), fault);
}

std::optional<core::Topology> finish_node_list_spec(const Value& spec,
                                                    ListedNodes& nodes,
                                                    Diagnostics& diagnostics) {
    ListSpec read = read_list_spec(spec, nullptr, diagnostics);
    nodes.find_parents();
    const NodeFault fault = [&](std::uint32_t, const std::string& message) {
        diagnostics.error(spec.span, message);
    };
    return diagnostics.failed() ? std::nullopt : assembled(nodes, std::move(read), fault);
}

std::optional<core::Topology> read_topology_tree_spec(const Value& spec,
                                                      const core::ResourceSchema& also,
                                                      Diagnostics& diagnostics) {
    MapReader map(spec, "a TopologyTree's spec", diagnostics);
    const Value* levels = map.need("level-names");
    const Value* nested = map.need("tree");
    const auto resources = read_resource_names(map.take("resource-names"), also, diagnostics);
    const Value* machine = map.take("machineType");
    map.report_unknown_keys();
    if (levels == nullptr || nested == nullptr) {
        return std::nullopt;
    }
    LooseTree tree;
    tree.level_names = read_level_names(*levels, 1, levels_max - 1, diagnostics);
    const bool taken = std::ranges::count(tree.level_names, "cluster") > 0;
    tree.level_names.insert(tree.level_names.begin(), taken ? "root" : "cluster");
    const Value nothing{Value::Kind::map, {}, {}, {}, spec.span};
    MachineTypes types =
        read_machine_type("server", machine ? *machine : nothing, resources, diagnostics);
    NestedReader reader(diagnostics);
    reader.read(*nested);
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    for (const std::uint32_t leaf : reader.leaves) {
        reader.nodes[leaf].machine_type = 0;
    }
    tree.nodes = std::move(reader.nodes);
    tree.resources = std::move(types.resources);
    tree.machine_types = std::move(types.types);
    const NodeFault fault = [&](std::uint32_t node, const std::string& message) {
        diagnostics.error(reader.spans[node], message);
    };
    const auto order = order_breadth_first(tree.nodes, fault);
    return order ? assemble(std::move(tree), *order, fault) : std::nullopt;
}

}  // namespace berth::topologies
