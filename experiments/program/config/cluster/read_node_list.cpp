#include "experiments/program/config/cluster/read_node_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/program/support/documents.hpp"
#include "topologies/alibaba_nodes_reader.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using topologies::InventedLevel;

/// `[{name: rack, servers: 16}, {name: room, racks: 8}]`, upwards: each says how many of the level
/// below it has. Returns: downwards.
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

}  // namespace

std::optional<core::Topology> read_node_list(const Value& nodes,
                                             const core::ResourceSchema& also,
                                             Diagnostics& diagnostics) {
    MapReader map(nodes, "topology.nodes", diagnostics);
    const bool openb = map.choice("format", {"openb", "spot"}, 0) == 0;
    (void)map.need("file");
    const std::string file = map.text("file", "");
    (void)map.take("sha256");  // was held against the file when the experiment was resolved
    const std::vector<InventedLevel> levels = read_levels(map.take("levels"), diagnostics);
    map.report_unknown_keys();
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    const auto read = openb ? topologies::read_openb_nodes : topologies::read_spot_nodes;
    return read(read_source(file), levels, also, diagnostics);
}

}  // namespace berth::experiments
