#include "experiments/program/config/profile/read_on_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "sim/cluster/drain_calendar.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// `{level: rack, count: 2}`, of a level above the servers. Whoever keeps all servers of a node has
/// none to fail there.
std::optional<sim::SpareServers> read_spares(const Value& value,
                                             const core::Topology* tree,
                                             Diagnostics& diagnostics) {
    MapReader map(value, "spares", diagnostics);
    const Value* name = map.need("level");
    const auto count = map.integer("count", 1, 0, std::numeric_limits<std::uint32_t>::max());
    map.report_unknown_keys();
    if (name == nullptr || tree == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> levels = tree->level_names();
    levels.pop_back();  // the servers
    const auto level = std::ranges::find(levels, name->text);
    if (level == levels.end()) {
        expected(
            *name, core::alternatives(levels) + core::suggestion(name->text, levels), diagnostics);
        return std::nullopt;
    }
    const core::Level of{static_cast<std::uint32_t>(level - levels.begin())};
    for (const core::NodeId node : tree->level_nodes(of)) {
        const std::size_t servers = sim::servers_below(*tree, node).size();
        if (std::cmp_greater_equal(count, servers)) {
            diagnostics.error(value.span,
                              fmt::format("{} spares of {}, which has {} servers: expected fewer "
                                          "spares than servers",
                                          count,
                                          tree->path(node),
                                          servers));
            return std::nullopt;
        }
    }
    return sim::SpareServers{of, static_cast<std::uint32_t>(count)};
}

}  // namespace

void read_on_failure(const Value* value,
                     const core::Topology* tree,
                     sim::OnFailure& rule,
                     Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    Value named = *value;
    if (value->is_scalar()) {
        named = {Value::Kind::map, {}, {}, {{"name", value->span, *value}}, value->span};
    }
    MapReader map(named, "onFailure", diagnostics);
    (void)map.need("name");
    const std::size_t name =
        map.choice("name", {"requeue-last", "requeue", "shrink", "replace"}, 0);
    rule.keeps_place = name >= 1;
    rule.shrinks = name >= 2;
    rule.replaces = name == 3;
    rule.give_up_after = static_cast<std::uint32_t>(map.integer(
        "giveUpAfter", rule.give_up_after, 1, std::numeric_limits<std::uint32_t>::max()));
    if (const Value* spares = map.take("spares"); spares != nullptr && rule.replaces) {
        rule.spares = read_spares(*spares, tree, diagnostics);
    } else if (spares != nullptr) {
        diagnostics.error(spares->span, "spares that nobody takes: expected name: replace");
    }
    map.report_unknown_keys();
}

}  // namespace berth::experiments
