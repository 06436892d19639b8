#include "experiments/program/config/failures/read_failure_cause.hpp"

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
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/read_distribution.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using workloads::Distribution;
using workloads::DistributionKind;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double variation_max = 1000;

/// Of all components together, failures are counted over times that no run can last: `110592d`.
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

/// `0.1/1000d`, so many in that time, as the mean time to one of them; 0 after an error.
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

/// A distribution of that mean, of the kind that `distribution` names.
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

/// `2h` is a time that is always the same, `{mean: 2h}` an exponential one.
Distribution read_repair(const Value* value, Diagnostics& diagnostics) {
    Distribution out{DistributionKind::constant, 0, 0, {}, {}};
    if (value == nullptr) {
        return out;
    }
    if (value->is_scalar()) {
        out.a = sim::seconds(read_duration(*value, diagnostics).value_or(sim::SimTime(0)));
        return out;
    }
    if (value->is_map() && value->find("distribution") == nullptr &&
        value->find("mean") != nullptr) {
        Value exponential = *value;
        Value name;
        name.kind = Value::Kind::scalar;
        name.text = "exponential";
        name.span = value->span;
        exponential.members.push_back({"distribution", value->span, std::move(name)});
        return read_distribution(exponential, diagnostics);
    }
    return read_distribution(*value, diagnostics);
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

/// Which nodes, or devices in them; returns whether there are such.
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
                          "machineType of a cause above the servers: expected it only where "
                          "servers or devices fail");
    }
    cause.machine_type = value->text;
}

}  // namespace

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
    cause.repair = read_repair(map.need("repair"), diagnostics);
    map.report_unknown_keys();
    return named && there ? std::optional(std::move(cause)) : std::nullopt;
}

}  // namespace berth::experiments
