#include "experiments/program/config/document/read_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {

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

/// Quantiles ascend with their values.
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
    Distribution distribution;
    if (!value.is_map() || value.find("distribution") == nullptr) {
        expected(value,
                 "a distribution such as {distribution: exponential, mean: 5m} or {distribution: "
                 "constant, value: 5m}",
                 diagnostics);
        distribution.a = 1;
        return distribution;
    }
    if (value.find("distribution")->text == "poisson") {
        expected(*value.find("distribution"),
                 "exponential, for times between arrivals of a Poisson process are exponential",
                 diagnostics);
        distribution.a = 1;
        return distribution;
    }
    MapReader map(value, "a distribution", diagnostics);
    const std::size_t errors_before = diagnostics.error_count();
    distribution.kind = static_cast<DistributionKind>(map.choice(
        "distribution",
        {"constant", "uniform", "exponential", "log-normal", "weibull", "pareto", "empirical"},
        0));
    if (diagnostics.error_count() > errors_before) {
        distribution.a = 1;
        return distribution;  // of an unknown one nobody knows what else it has
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
