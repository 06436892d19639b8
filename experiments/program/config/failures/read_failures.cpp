#include "experiments/program/config/failures/read_failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/failures/read_failure_cause.hpp"
#include "experiments/program/config/failures/read_failure_file.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

void read_events(const Value* events,
                 const core::Topology& tree,
                 sim::Settings& settings,
                 Diagnostics& diagnostics) {
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
}

void check_absent(const Value& value,
                  const core::Topology& tree,
                  sim::Settings& settings,
                  Diagnostics& diagnostics) {
    std::ranges::sort(settings.absent);
    const auto twice = std::ranges::adjacent_find(settings.absent);
    if (twice != settings.absent.end()) {
        diagnostics.error(
            value.span,
            fmt::format("server '{}' is added twice: expected fail and repair for one "
                        "that was there",
                        tree.name(tree.node_of(*twice))));
    }
    std::ranges::stable_sort(settings.node_changes, {}, &sim::NodeChange::at);
}

void read_causes(const Value* list,
                 const core::Topology& tree,
                 workloads::FailureModel& model,
                 Diagnostics& diagnostics) {
    if (list != nullptr && !list->is_list()) {
        expected(*list,
                 "a list such as [{name: power, level: rack, mtbf: 1000d, repair: 2h}]",
                 diagnostics);
    }
    std::set<std::string> names;
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        auto cause = read_failure_cause(list->items[i], tree, diagnostics);
        if (!cause) {
            continue;
        }
        if (!names.insert(cause->name).second) {
            diagnostics.error(
                list->items[i].span,
                fmt::format("a second cause '{}': expected a name of its own", cause->name));
        }
        model.causes.push_back(std::move(*cause));
    }
}

std::optional<workloads::Lemons> read_lemons(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return std::nullopt;
    }
    constexpr double factor_max = 1e6;
    MapReader map(*value, "lemons", diagnostics);
    (void)map.need("share");
    (void)map.need("factor");
    const workloads::Lemons lemons{map.number("share", 0, 0, 1),
                                   map.number("factor", 1, 1, factor_max)};
    map.report_unknown_keys();
    return lemons;
}

std::optional<workloads::Quarantine> read_quarantine(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return std::nullopt;
    }
    constexpr std::int64_t failures_max = 1'000'000;
    MapReader map(*value, "quarantine", diagnostics);
    (void)map.need("failures");
    (void)map.need("within");
    (void)map.need("for");
    workloads::Quarantine rule;
    rule.failures = static_cast<std::uint32_t>(map.integer("failures", 1, 1, failures_max));
    rule.within = read_duration(map, "within").value_or(sim::SimTime(0));
    rule.out = read_duration(map, "for").value_or(sim::SimTime(0));
    map.report_unknown_keys();
    return rule;
}

/// What has no sense without a cause of `random`.
void check_random_alone(const Value& failures, Diagnostics& diagnostics) {
    for (const char* key : {"lemons", "crews", "quarantine"}) {
        if (const Value* value = failures.find(key); value != nullptr) {
            diagnostics.error(value->span,
                              fmt::format("{} without random: expected random: [...] beside it, "
                                          "for it changes nothing else",
                                          key));
        }
    }
}

}  // namespace

void read_failures(const Value* value, ExperimentSpec& spec, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    const core::Topology& tree = *spec.topology;
    if (!value->is_map()) {
        expected(
            *value, "a map such as {events: [{at: 1h, node: server-0, event: fail}]}", diagnostics);
        return;
    }
    MapReader failures(*value, "failures", diagnostics);
    const Value* events = failures.take("events");
    const Value* random = failures.take("random");
    const Value* csv = failures.take("csv");
    (void)failures.take("file");
    const Value* zero = failures.take("zero");
    workloads::FailureModel& model = spec.failures;
    read_causes(random, tree, model, diagnostics);
    model.lemons = read_lemons(failures.take("lemons"), diagnostics);
    model.crews = static_cast<std::uint32_t>(
        failures.integer("crews", 0, 1, std::numeric_limits<std::uint32_t>::max()));
    model.quarantine = read_quarantine(failures.take("quarantine"), diagnostics);
    const Value* detection = failures.take("detection");
    model.detection = read_duration(failures, "detection").value_or(sim::SimTime(0));
    failures.report_unknown_keys();
    if (events == nullptr && random == nullptr && csv == nullptr && zero == nullptr) {
        expected(*value, "events, random or file in it", diagnostics);
    }
    if (random == nullptr) {
        check_random_alone(*value, diagnostics);
    }
    if (detection != nullptr && random == nullptr && csv == nullptr) {
        diagnostics.error(detection->span,
                          "detection without random or file: expected one of them beside it, for "
                          "events are known at once");
    }
    read_events(events, tree, spec.settings, diagnostics);
    check_absent(*value, tree, spec.settings, diagnostics);
    if (csv == nullptr && zero != nullptr) {
        diagnostics.error(zero->span,
                          "zero without file: expected file beside it, with the events of a "
                          "cluster's nodes, whose times are dates");
    }
    if (csv != nullptr) {
        read_failure_file(*csv, zero, tree, model);
    }
    spec.settings.failure_causes = model.cause_names();
    spec.settings.detection = model.detection;
}

}  // namespace berth::experiments
