#include "experiments/program/config/cluster/read_failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

void read_failures(const Value* value,
                   const core::Topology& tree,
                   sim::Settings& settings,
                   Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    if (!value->is_map()) {
        expected(
            *value, "a map such as {events: [{at: 1h, node: server-0, event: fail}]}", diagnostics);
        return;
    }
    MapReader failures(*value, "failures", diagnostics);
    const Value* events = failures.need("events");
    failures.report_unknown_keys();
    if (events != nullptr && !events->is_list()) {
        expected(*events, "a list such as [{at: 1h, node: server-0, event: fail}]", diagnostics);
    }
    const auto servers = tree.servers_by_name();
    for (std::size_t i = 0; events != nullptr && i < events->items.size(); ++i) {
        MapReader map(events->items[i], "an event of failures", diagnostics);
        (void)map.need("at");
        const Value* node = map.need("node");
        (void)map.need("event");
        sim::NodeChange change;
        change.at = read_duration(map, "at").value_or(sim::SimTime(0));
        enum : std::size_t { fail, repair, add };
        const std::size_t event = map.choice("event", {"fail", "repair", "add"}, fail);
        map.report_unknown_keys();
        change.up = event != fail;
        const auto server = node != nullptr ? servers.find(node->text) : servers.end();
        if (server == servers.end()) {
            if (node != nullptr) {
                expected(*node, "the name of a server of the topology", diagnostics);
            }
            continue;
        }
        change.server = server->second;
        if (event == add) {
            settings.absent.push_back(change.server);
        }
        settings.node_changes.push_back(change);
    }
    std::ranges::sort(settings.absent);
    const auto twice = std::ranges::adjacent_find(settings.absent);
    if (twice != settings.absent.end()) {
        diagnostics.error(
            value->span,
            fmt::format("server '{}' is added twice: expected fail and repair for one "
                        "that was there",
                        tree.name(tree.node_of(*twice))));
    }
    std::ranges::stable_sort(settings.node_changes, {}, &sim::NodeChange::at);
}

}  // namespace berth::experiments
