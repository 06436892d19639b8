#include "experiments/program/config/failures/read_failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/parse_number.hpp"
#include "core/support/rounded_math.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/failures/read_failure_file.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using workloads::Distribution;
using workloads::DistributionKind;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double variation_max = 1000;

/// Reads a time in seconds. Failures of all components together are counted over times that no run
/// can last: `110592d`.
std::optional<double> read_seconds(std::string_view text) {
    if (const auto duration = sim::parse_duration(text)) {
        return sim::seconds(*duration);
    }
    constexpr std::string_view digits = "0123456789.";
    const std::size_t unit = text.find_first_not_of(digits);
    if (unit == std::string_view::npos || text.find_first_of(digits, unit) != text.npos) {
        return std::nullopt;
    }
    const auto number = core::parse_number<double>(text.substr(0, unit));
    const auto one = sim::parse_duration("1" + std::string(text.substr(unit)));
    return number && one ? std::optional(*number * sim::seconds(*one)) : std::nullopt;
}

/// Reads `0.1/1000d`, a number of failures in a time, as the mean time between two of them; 0 after
/// an error.
double read_rate(const Value& value, Diagnostics& diagnostics) {
    const std::size_t slash = value.text.find('/');
    const auto count = core::parse_number<double>(std::string_view(value.text).substr(0, slash));
    const auto time = slash == std::string::npos
                          ? std::nullopt
                          : read_seconds(std::string_view(value.text).substr(slash + 1));
    if (!count || !(*count > 0) || !(*count < infinite) || !time || !(*time > 0)) {
        expected(value, "failures by time, both above 0, such as 6.5/1000d", diagnostics);
        return 0;
    }
    return *time / *count;
}

/// The mean time between failures, in seconds; 0 after an error.
double read_mean(MapReader& map, const Value* mtbf, const Value* rate) {
    if (rate != nullptr) {
        return read_rate(*rate, map.diagnostics());
    }
    const auto duration = read_duration(*mtbf, map.diagnostics());
    if (duration && duration->count() == 0) {
        expected(*mtbf, "a duration above 0", map.diagnostics());
    }
    return duration ? sim::seconds(*duration) : 0;
}

/// A distribution with this mean, of the kind that `distribution` names.
Distribution around(double mean, MapReader& map) {
    Distribution out{DistributionKind::exponential, mean > 0 ? mean : 1, 0, {}, {}};
    enum : std::size_t { exponential, weibull, log_normal, constant };
    switch (map.choice(
        "distribution", {"exponential", "weibull", "log-normal", "constant"}, exponential)) {
        case weibull: {
            constexpr double shape_min = 0.1;
            (void)map.need("shape");
            const double shape = map.number("shape", 1, shape_min, 100);
            out = {DistributionKind::weibull,
                   shape,
                   out.a / core::rounded_gamma(1 + 1 / shape),
                   {},
                   {}};
            break;
        }
        case log_normal:
            (void)map.need("variation");
            out = {DistributionKind::log_normal,
                   out.a,
                   map.number("variation", 1, 0.001, variation_max),
                   {},
                   {}};
            break;
        case constant:
            out.kind = DistributionKind::constant;
            break;
        default:
            break;
    }
    return out;
}

Distribution read_between(MapReader& map) {
    const Value* mtbf = map.take("mtbf");
    const Value* rate = map.take("rate");
    const Value* between = map.take("between");
    const int stated =
        (mtbf != nullptr ? 1 : 0) + (rate != nullptr ? 1 : 0) + (between != nullptr ? 1 : 0);
    if (stated != 1) {
        map.diagnostics().error(
            map.span(),
            fmt::format("{} of mtbf, rate and between: expected one of them, such as mtbf: 400d",
                        stated));
        return {DistributionKind::constant, 1, 0, {}, {}};
    }
    if (between == nullptr) {
        return around(read_mean(map, mtbf, rate), map);
    }
    const Distribution out = read_distribution(*between, map.diagnostics());
    if (!(out.mean() > 0)) {
        expected(*between, "times with a mean above 0", map.diagnostics());
    }
    return out;
}

std::vector<std::string> device_kinds(const core::Topology& tree) {
    std::set<std::string> kinds;
    for (const core::MachineType& type : tree.machine_types()) {
        for (const core::DeviceGroup& group : type.devices) {
            kinds.insert(group.kind);
        }
    }
    return {kinds.begin(), kinds.end()};
}

/// Reads which nodes, or which devices in them, fail. Returns whether there are any.
bool read_component(MapReader& map, const core::Topology& tree, workloads::FailureCause& cause) {
    Diagnostics& diagnostics = map.diagnostics();
    const Value* level = map.take("level");
    const Value* device = map.take("device");
    cause.level = tree.server_level();
    if ((level == nullptr) == (device == nullptr)) {
        diagnostics.error(
            map.span(),
            fmt::format("{} level {} device: expected one of them, the level of nodes or the kind "
                        "of devices that fail",
                        level == nullptr ? "neither" : "both",
                        level == nullptr ? "nor" : "and"));
        return false;
    }
    if (device != nullptr) {
        const std::vector<std::string> kinds = device_kinds(tree);
        cause.device = device->text;
        if (std::ranges::find(kinds, device->text) == kinds.end()) {
            expected(*device,
                     kinds.empty()
                         ? "machineTypes with devices in the topology"
                         : core::alternatives(kinds) + core::suggestion(device->text, kinds),
                     diagnostics);
            return false;
        }
        return true;
    }
    const auto found = tree.find_level(level->text);
    if (!found || found->index == 0) {
        std::vector<std::string> names = tree.level_names();
        names.erase(names.begin());
        expected(
            *level, core::alternatives(names) + core::suggestion(level->text, names), diagnostics);
        return false;
    }
    cause.level = *found;
    return true;
}

void read_machine_type(const Value* value,
                       const core::Topology& tree,
                       workloads::FailureCause& cause,
                       Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    std::vector<std::string> names;
    for (const core::MachineType& type : tree.machine_types()) {
        names.push_back(type.name);
    }
    if (std::ranges::find(names, value->text) == names.end()) {
        expected(
            *value, core::alternatives(names) + core::suggestion(value->text, names), diagnostics);
    }
    if (cause.level != tree.server_level()) {
        diagnostics.error(value->span,
                          "machineType cannot be used for a cause above the servers: expected it "
                          "only where servers or devices fail");
    }
    cause.machine_type = value->text;
}

/// Reads one cause of `failures.random`: what fails, how often, and how long its repair takes.
/// Returns nothing for a cause without a name, or if nothing in the topology can fail for it.
/// Errors: recorded at their places.
std::optional<workloads::FailureCause> read_failure_cause(const Value& value,
                                                          const core::Topology& tree,
                                                          Diagnostics& diagnostics) {
    MapReader map(value, "a cause of failures", diagnostics);
    workloads::FailureCause cause;
    const bool named = map.need("name") != nullptr;
    cause.name = map.text("name", "");
    const bool there = read_component(map, tree, cause);
    read_machine_type(map.take("machineType"), tree, cause, diagnostics);
    cause.between = read_between(map);
    if (const Value* repair = map.need("repair")) {
        cause.repair = read_distribution(*repair, diagnostics);
    }
    map.report_unknown_keys();
    return named && there ? std::optional(std::move(cause)) : std::nullopt;
}

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

/// Reports keys that make no sense without a cause under `random`.
void check_random_alone(const Value& failures, Diagnostics& diagnostics) {
    for (const char* key : {"lemons", "crews", "quarantine"}) {
        if (const Value* value = failures.find(key); value != nullptr) {
            diagnostics.error(value->span,
                              fmt::format("{} has no effect without random, since it changes "
                                          "nothing else: expected random: [...] as well",
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
                          "detection has no effect without random or file, since events are known "
                          "at once: expected one of them as well");
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
