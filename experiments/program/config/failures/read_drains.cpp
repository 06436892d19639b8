#include "experiments/program/config/failures/read_drains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "sim/cluster/drain_calendar.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Level;
using core::MapReader;
using core::NodeId;
using core::Value;
using sim::DrainWindow;
using sim::SimTime;

/// A window, and the index of the entry that states it.
struct Listed {
    DrainWindow window;
    std::size_t entry = 0;
};

std::optional<Level> read_level(MapReader& map, const core::Topology& tree) {
    const Value* value = map.need("level");
    const auto level = value != nullptr ? tree.find_level(value->text) : std::nullopt;
    if (value != nullptr && !level) {
        expected(*value,
                 core::alternatives(tree.level_names()) +
                     core::suggestion(value->text, tree.level_names()),
                 map.diagnostics());
    }
    return level;
}

/// Finds the node by its name, or by its path if several nodes have the name.
std::optional<NodeId> read_node(const Value& name,
                                const core::Topology& tree,
                                Level level,
                                Diagnostics& diagnostics) {
    std::vector<std::string> names;
    std::vector<NodeId> found;
    for (const NodeId node : tree.level_nodes(level)) {
        names.emplace_back(tree.name(node));
        if (names.back() == name.text || tree.path(node) == name.text) {
            found.push_back(node);
        }
    }
    if (found.empty()) {
        expected(name,
                 fmt::format("the name of a {} of the topology{}",
                             tree.level_name(level),
                             core::suggestion(name.text, names)),
                 diagnostics);
    } else if (found.size() > 1) {
        expected(name,
                 fmt::format("one of the {} nodes of that name by its path, such as {}",
                             found.size(),
                             tree.path(found.front())),
                 diagnostics);
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

/// Reads when a drain begins, which must not be before the run.
std::optional<SimTime> read_begin(MapReader& map) {
    const Value* at = map.need("at");
    if (at == nullptr) {
        return std::nullopt;
    }
    if (at->text.starts_with('-') && sim::parse_duration(at->text.substr(1))) {
        map.diagnostics().error(
            at->span,
            fmt::format("'{}': the drain would have begun before the run: expected 0s or later",
                        at->text));
        return std::nullopt;
    }
    return read_duration(*at, map.diagnostics());
}

std::optional<SimTime> read_length(MapReader& map) {
    const Value* length = map.need("for");
    const auto duration =
        length != nullptr ? read_duration(*length, map.diagnostics()) : std::nullopt;
    if (duration && duration->count() == 0) {
        expected(*length, "a duration above 0", map.diagnostics());
        return std::nullopt;
    }
    return duration;
}

/// Reads whether preemptible pods are evicted, and how long they have until then.
void read_eviction(MapReader& map, std::optional<SimTime> length, DrainWindow& window) {
    window.evicts = map.boolean("evict", true);
    const Value* grace = map.take("grace");
    if (grace == nullptr) {
        return;
    }
    window.grace = read_duration(*grace, map.diagnostics()).value_or(SimTime(0));
    if (!window.evicts) {
        map.diagnostics().error(grace->span,
                                "grace has no effect with evict: false, since no pod is evicted: "
                                "expected no grace, or evict: true");
    } else if (length && window.grace > *length) {
        expected(*grace, "at most the time that the drain is for", map.diagnostics());
    }
}

/// The nodes in the order in which they are drained, and how many are drained at a time.
struct Parts {
    std::vector<NodeId> nodes;
    std::size_t at_once = 1;
};

Parts read_parts(MapReader& map, const core::Topology& tree) {
    Parts parts;
    const auto level = read_level(map, tree);
    const Value* name = map.take("name");
    const Value* at_once = map.take("atOnce");
    if (name != nullptr && at_once != nullptr) {
        map.diagnostics().error(at_once->span,
                                "atOnce cannot be used with name, since it says how many nodes of "
                                "a level are drained at a time: expected one of them");
    }
    if (!level) {
        return parts;
    }
    if (name == nullptr) {
        const auto nodes = tree.level_nodes(*level);
        parts.nodes.assign(nodes.begin(), nodes.end());
        parts.at_once =
            static_cast<std::size_t>(map.integer("atOnce", 1, 1, tree.level_size(*level)));
    } else if (const auto node = read_node(*name, tree, *level, map.diagnostics())) {
        parts.nodes = {*node};
    }
    return parts;
}

void read_drain(const Value& value,
                std::size_t entry,
                const core::Topology& tree,
                std::vector<Listed>& out,
                Diagnostics& diagnostics) {
    MapReader map(value, "a drain", diagnostics);
    const Parts parts = read_parts(map, tree);
    const auto begin = read_begin(map);
    const auto length = read_length(map);
    DrainWindow window;
    read_eviction(map, length, window);
    map.report_unknown_keys();
    if (!begin || !length || parts.nodes.empty()) {
        return;
    }
    const std::size_t batches = (parts.nodes.size() + parts.at_once - 1) / parts.at_once;
    if (*begin >= sim::never - SimTime(1) ||
        *length > (sim::never - SimTime(1) - *begin) / static_cast<std::int64_t>(batches)) {
        diagnostics.error(
            value.span,
            "the drain ends more than 292 years after the run begins: expected an earlier end");
        return;
    }
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
        window.at = *begin + *length * static_cast<std::int64_t>(i / parts.at_once);
        window.until = window.at + *length;
        window.node = parts.nodes[i];
        out.push_back({window, entry});
    }
}

std::string text_of(const DrainWindow& window, const core::Topology& tree) {
    return fmt::format("{} from {} to {}",
                       tree.name(window.node),
                       sim::time_text(window.at),
                       sim::time_text(window.until));
}

/// Reports the entries whose windows overlap those of another entry on some server, each pair of
/// entries once. `windows` are sorted by their beginnings.
void check_overlaps(const std::vector<Listed>& windows,
                    const Value& list,
                    const core::Topology& tree,
                    Diagnostics& diagnostics) {
    std::vector<const Listed*> last(tree.server_count());
    std::set<std::pair<std::size_t, std::size_t>> told;
    for (const Listed& listed : windows) {
        for (const core::ServerId server : sim::servers_below(tree, listed.window.node)) {
            const Listed*& before = last[server.index];
            if (before != nullptr && before->window.until > listed.window.at) {
                const auto [first, second] = std::minmax(before->entry, listed.entry);
                if (told.emplace(first, second).second) {
                    const Listed& other = before->entry == first ? *before : listed;
                    const Listed& own = before->entry == first ? listed : *before;
                    diagnostics.error(
                        list.items[second].span,
                        fmt::format("the drain of {} overlaps drains[{}], of {}: expected drains "
                                    "of a server one after another",
                                    text_of(own.window, tree),
                                    first,
                                    text_of(other.window, tree)));
                }
            }
            if (before == nullptr || before->window.until < listed.window.until) {
                before = &listed;
            }
        }
    }
}

/// Warns about drains that begin after the end of the run.
void warn_of_late_drains(const std::vector<Listed>& windows,
                         const Value& list,
                         SimTime until,
                         Diagnostics& diagnostics) {
    std::set<std::size_t> in_time;
    std::set<std::size_t> late;
    for (const Listed& listed : windows) {
        (listed.window.at > until ? late : in_time).insert(listed.entry);
    }
    for (const std::size_t entry : late) {
        if (!in_time.contains(entry)) {
            diagnostics.warning(list.items[entry].span,
                                "the run ends before this drain begins: no pod is evicted for it");
        }
    }
}

}  // namespace

void read_drains(const Value* list, ExperimentSpec& spec, Diagnostics& diagnostics) {
    if (list == nullptr) {
        return;
    }
    if (!list->is_list()) {
        expected(
            *list, "a list such as [{level: rack, name: rack-3, at: 24h, for: 4h}]", diagnostics);
        return;
    }
    const core::Topology& tree = *spec.topology;
    std::vector<Listed> windows;
    const std::size_t errors_before = diagnostics.error_count();
    for (std::size_t i = 0; i < list->items.size(); ++i) {
        read_drain(list->items[i], i, tree, windows, diagnostics);
    }
    if (diagnostics.error_count() > errors_before) {
        return;
    }
    std::ranges::stable_sort(windows, {}, [](const Listed& listed) { return listed.window.at; });
    check_overlaps(windows, *list, tree, diagnostics);
    warn_of_late_drains(windows, *list, spec.settings.until, diagnostics);
    for (const Listed& listed : windows) {
        spec.settings.drains.push_back(listed.window);
    }
}

}  // namespace berth::experiments
