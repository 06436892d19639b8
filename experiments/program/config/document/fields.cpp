#include "experiments/program/config/document/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <variant>

#include "core/ledger/ledger.hpp"
#include "core/node_rules/object_metadata.hpp"
#include "core/support/quantity_hint.hpp"
#include "core/tree/gpu_resource.hpp"
#include "sim/job/asked_together.hpp"

namespace berth::experiments {

using core::Amount;
using core::Diagnostics;
using core::MapReader;
using core::ResourceSchema;
using core::Value;

namespace {

/// The hint ` (did you mean 1h30m0s?)` for `1:30:00`, which sacct writes.
std::string clock_hint(const std::string& text) {
    constexpr std::string_view digits = "0123456789";
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    std::string parts = text;
    std::erase(parts, ':');
    const bool is_clock = parts.size() + 2 == text.size() && first > 0 && second > first + 1 &&
                          second + 1 < text.size() &&
                          parts.find_first_not_of(digits) == std::string::npos;
    return is_clock ? fmt::format(" (did you mean {}h{}m{}s?)",
                                  text.substr(0, first),
                                  text.substr(first + 1, second - first - 1),
                                  text.substr(second + 1))
                    : "";
}

/// The hint ` (did you mean 1h?)` for `1 hour`, `1H` and `1:00:00`.
std::string duration_hint(const std::string& text) {
    if (text.find(':') != std::string::npos) {
        return clock_hint(text);
    }
    const std::size_t end = text.find_first_not_of("0123456789.");
    if (end == 0 || end == std::string::npos || text[end] == ',') {
        return core::comma_hint(text);
    }
    const std::size_t begin = text.find_first_not_of(' ', end);
    std::string unit = begin == std::string::npos ? "" : text.substr(begin);
    unit = unit.ends_with('s') && unit.size() > 2 ? unit.substr(0, unit.size() - 1) : unit;
    using Unit = std::pair<std::string_view, std::string_view>;
    constexpr std::array units{Unit{"sec", "s"},
                               Unit{"second", "s"},
                               Unit{"min", "m"},
                               Unit{"minute", "m"},
                               Unit{"hr", "h"},
                               Unit{"hour", "h"},
                               Unit{"day", "d"},
                               Unit{"S", "s"},
                               Unit{"H", "h"},
                               Unit{"D", "d"}};
    std::int64_t weeks = 0;
    const bool whole =
        std::from_chars(text.data(), text.data() + end, weeks).ptr == text.data() + end;
    if (whole && weeks < 1000 && (unit == "w" || unit == "week")) {
        return fmt::format(" (did you mean {}d?)", 7 * weeks);
    }
    for (const auto& [word, letter] : units) {
        if (unit == word) {
            return fmt::format(" (did you mean {}{}?)", text.substr(0, end), letter);
        }
    }
    return "";
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Whether a text is a duration, even if it is too long or too fine for a run.
bool is_duration(std::string_view text) {
    const auto parsed = sim::duration_or_fault(text);
    const auto* fault = std::get_if<sim::DurationFault>(&parsed);
    return fault == nullptr || *fault != sim::DurationFault::malformed;
}

/// What is expected in place of a text that is no duration.
std::string wanted_duration(const std::string& text) {
    const std::string without_sign = text.starts_with('-') ? text.substr(1) : "";
    if (is_number(without_sign) || is_duration(without_sign)) {
        return "a duration that is not negative, such as 10ms, 10s, 5m, 24h or 7d";
    }
    if (is_number(text)) {
        return fmt::format("a duration with its unit, such as {0}s or {0}m", text);
    }
    const auto parsed = sim::duration_or_fault(text);
    const auto* fault = std::get_if<sim::DurationFault>(&parsed);
    if (fault != nullptr && *fault == sim::DurationFault::too_long) {
        return "a duration of at most 106751d, which is 292 years";
    }
    if (fault != nullptr && *fault == sim::DurationFault::too_fine) {
        return "a duration of whole nanoseconds, the shortest of which is 1ns";
    }
    return "a duration such as 10ms, 10s, 5m, 24h or 7d" + duration_hint(text);
}

}  // namespace

std::string read_header(MapReader& document,
                        const std::string& api_version,
                        std::string_view otherwise) {
    if (const Value* version = document.take("apiVersion");
        version != nullptr && version->text != api_version) {
        expected(*version, api_version, document.diagnostics());
    }
    (void)document.take("kind");
    const Value* metadata = document.take("metadata");
    if (metadata != nullptr && !metadata->is_map()) {
        expected(*metadata, "a map such as {name: two-teams}", document.diagnostics());
    } else if (metadata != nullptr) {
        core::check_metadata(*metadata, document.diagnostics());
    }
    const Value* name = metadata != nullptr ? metadata->find("name") : nullptr;
    return name != nullptr && name->is_scalar() ? name->text : std::string(otherwise);
}

std::optional<sim::SimTime> read_duration(const Value& value,
                                          Diagnostics& diagnostics,
                                          std::string_view or_else) {
    const auto duration = value.is_scalar() ? sim::parse_duration(value.text) : std::nullopt;
    if (!duration) {
        expected(value, std::string(or_else) + wanted_duration(value.text), diagnostics);
    }
    return duration;
}

void check_sums(const core::Topology& topology,
                const core::SourceSpan& span,
                Diagnostics& diagnostics) {
    try {
        core::Ledger::check_sums(topology, sim::asked_together_max);
    } catch (const core::InputError& error) {
        diagnostics.error(span, error.what());
    }
}

std::optional<sim::SimTime> read_duration(MapReader& map, const std::string& key) {
    const Value* value = map.take(key);
    return value != nullptr ? read_duration(*value, map.diagnostics()) : std::nullopt;
}

Amount read_amount(const core::SourceSpan& span,
                   std::string_view text,
                   std::size_t resource,
                   const ResourceSchema& schema,
                   Diagnostics& diagnostics) {
    const auto parsed = core::parse_amount(schema, resource, text);
    if (const auto* amount = std::get_if<Amount>(&parsed)) {
        return *amount;
    }
    const auto fault = std::get<core::QuantityFault>(parsed);
    diagnostics.error(
        span,
        fmt::format(
            "{} of {}: expected {}{}",
            text.empty() ? "nothing" : fmt::format("'{}'", text),
            schema.name(resource),
            describe(fault, schema.unit(resource)),
            fault == core::QuantityFault::malformed ? core::quantity_hint(text) : std::string()));
    return 0;
}

std::vector<Amount> read_amounts(const Value& value,
                                 const ResourceSchema& schema,
                                 Diagnostics& diagnostics) {
    std::vector<Amount> amounts(schema.size(), 0);
    if (!value.is_map()) {
        expected(value, "amounts such as {cpu: 2, memory: 32Gi}", diagnostics);
        return amounts;
    }
    for (const core::Member& member : value.members) {
        const auto resource = schema.find(member.key);
        if (!resource) {
            diagnostics.error(member.key_span,
                              fmt::format("unknown resource '{}': expected {}{}",
                                          member.key,
                                          core::alternatives(schema.names()),
                                          core::suggestion(member.key, schema.names())));
            continue;
        }
        amounts[*resource] =
            read_amount(member.value.span, member.value.text, *resource, schema, diagnostics);
    }
    return amounts;
}

using core::Diagnostics;
using core::MapReader;
using core::Value;
using workloads::Distribution;
using workloads::DistributionKind;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double variation_max = 1000;

double positive_seconds(MapReader& map, const std::string& key, bool zero_allowed) {
    const Value* value = map.need(key);
    const auto duration = value != nullptr ? read_duration(map, key) : std::nullopt;
    if (duration && duration->count() == 0 && !zero_allowed) {
        expected(*value, "a duration above 0", map.diagnostics());
    }
    return duration ? sim::seconds(*duration) : 1;
}

double positive_number(MapReader& map, const std::string& key) {
    const Value* value = map.need(key);
    const double number = map.number(key, 1, 0, infinite);
    if (value != nullptr && number <= 0) {
        expected(*value, "a number above 0", map.diagnostics());
    }
    return number > 0 ? number : 1;
}

/// Sorts the values, so that quantiles ascend with them.
void sort_by_value(Distribution& distribution) {
    distribution.weights.resize(distribution.values.size(), 1);
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t i = 0; i < distribution.values.size(); ++i) {
        pairs.emplace_back(distribution.values[i], distribution.weights[i]);
    }
    std::ranges::sort(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        std::tie(distribution.values[i], distribution.weights[i]) = pairs[i];
    }
}

void read_empirical(MapReader& map, Distribution& distribution) {
    Diagnostics& diagnostics = map.diagnostics();
    const Value* values = map.need("values");
    const Value* weights = map.take("weights");
    if (values == nullptr) {
        return;
    }
    for (const Value& value : values->items) {
        const auto duration = read_duration(value, diagnostics);
        distribution.values.push_back(sim::seconds(duration.value_or(sim::SimTime(0))));
    }
    if (distribution.values.empty()) {
        expected(*values, "a list of durations", diagnostics);
        distribution.values.push_back(0);
    }
    double total = 0;
    for (std::size_t i = 0; weights != nullptr && i < weights->items.size(); ++i) {
        const double weight = read_number(weights->items[i], diagnostics, 0, infinite).value_or(1);
        distribution.weights.push_back(weight);
        total += weight;
    }
    const bool sizes_differ = distribution.weights.size() != distribution.values.size();
    if (weights != nullptr && (sizes_differ || total <= 0)) {
        diagnostics.error(
            weights->span,
            fmt::format("{} weights: expected one for each of the {} values, not all 0",
                        distribution.weights.size(),
                        distribution.values.size()));
    } else {
        sort_by_value(distribution);
    }
}

}  // namespace

Distribution read_distribution(const Value& value, Diagnostics& diagnostics) {
    if (value.is_scalar()) {
        const auto duration = read_duration(value, diagnostics).value_or(std::chrono::seconds(1));
        return {DistributionKind::constant, sim::seconds(duration), 0, {}, {}};
    }
    Distribution distribution{DistributionKind::exponential, 1, 0, {}, {}};
    const Value* name = value.is_map() ? value.find("distribution") : nullptr;
    if (name == nullptr && (!value.is_map() || value.find("mean") == nullptr)) {
        expected(value,
                 "a duration such as 5m, {mean: 5m}, or a distribution such as {distribution: "
                 "log-normal, mean: 5m, variation: 2}",
                 diagnostics);
        return distribution;
    }
    if (name != nullptr && name->text == "poisson") {
        expected(*name,
                 "exponential, since times between arrivals of a Poisson process are exponential",
                 diagnostics);
        return distribution;
    }
    MapReader map(value, "a distribution", diagnostics);
    const std::size_t errors_before = diagnostics.error_count();
    distribution.kind = static_cast<DistributionKind>(map.choice(
        "distribution",
        {"constant", "uniform", "exponential", "log-normal", "weibull", "pareto", "empirical"},
        static_cast<std::size_t>(DistributionKind::exponential)));
    if (diagnostics.error_count() > errors_before) {
        return distribution;  // which other keys an unknown one has is not known
    }
    switch (distribution.kind) {
        case DistributionKind::constant:
            distribution.a = positive_seconds(map, "value", true);
            break;
        case DistributionKind::uniform:
            distribution.a = positive_seconds(map, "min", true);
            distribution.b = positive_seconds(map, "max", true);
            if (distribution.b < distribution.a) {
                diagnostics.error(map.span(), "max below min: expected min <= max");
            }
            break;
        case DistributionKind::exponential:
            distribution.a = positive_seconds(map, "mean", false);
            break;
        case DistributionKind::log_normal:
            distribution.a = positive_seconds(map, "mean", false);
            distribution.b = positive_number(map, "variation");
            if (distribution.b > variation_max) {
                diagnostics.error(
                    map.span(),
                    fmt::format(
                        "variation {}: expected at most {}", distribution.b, variation_max));
            }
            break;
        case DistributionKind::weibull:
            distribution.a = positive_number(map, "shape");
            distribution.b = positive_seconds(map, "scale", false);
            break;
        case DistributionKind::pareto:
            distribution.a = positive_number(map, "shape");
            distribution.b = positive_seconds(map, "min", false);
            break;
        case DistributionKind::empirical:
            read_empirical(map, distribution);
            break;
    }
    map.report_unknown_keys();
    return distribution;
}

}  // namespace berth::experiments
