#include "experiments/program/config/experiment/read_expect.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "core/support/parse_number.hpp"
#include "core/support/quantity_hint.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A number of the metric's own unit; of seconds also `10m`, of shares also `90%`.
double read_bound(const Value& value, const Claim& claim, Diagnostics& diagnostics) {
    const report::MetricRecord* record = report::find_metric(claim.metric);
    const std::string_view unit = record != nullptr ? record->unit : "";
    const std::string_view text = value.text;
    if (const auto duration = sim::parse_duration(text); duration && unit == "s") {
        return sim::seconds(*duration);
    }
    if ((unit == "share" || unit == "%") && text.ends_with('%')) {
        const auto percent = core::parse_number<double>(text.substr(0, text.size() - 1));
        if (percent && std::isfinite(*percent)) {
            return unit == "share" ? *percent / 100 : *percent;
        }
    }
    const auto number = value.is_scalar() ? core::parse_number<double>(text) : std::nullopt;
    if (number && std::isfinite(*number)) {
        return *number;
    }
    expected(value,
             fmt::format("a number{}{}",
                         unit == "s"       ? " of seconds, or a duration such as 10m"
                         : unit == "share" ? " of 1, such as 0.9, or 90%"
                                           : "",
                         core::comma_hint(text)),
             diagnostics);
    return 0;
}

/// `confidence: none`: the mean alone has to lie in the range.
bool goes_by_interval(const Value* confidence, bool otherwise, Diagnostics& diagnostics) {
    if (confidence == nullptr) {
        return otherwise;
    }
    if (confidence->text != "none") {
        expected(*confidence,
                 "none, which goes by the mean; without it the 95 % interval has to lie in the "
                 "range",
                 diagnostics);
    }
    return false;
}

void read_bounds(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    MapReader map(value, "an expectation", diagnostics);
    const Value* min = map.take("min");
    const Value* max = map.take("max");
    claim.by_interval = goes_by_interval(map.take("confidence"), claim.by_interval, diagnostics);
    map.report_unknown_keys();
    if (min == nullptr && max == nullptr) {
        expected(value, "min, max or both", diagnostics);
    }
    claim.least = min != nullptr ? read_bound(*min, claim, diagnostics) : -infinite;
    claim.most = max != nullptr ? read_bound(*max, claim, diagnostics) : infinite;
}

}  // namespace

void read_expected_range(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    if (value.is_list() && value.items.size() == 2) {
        claim.least = read_bound(value.items[0], claim, diagnostics);
        claim.most = read_bound(value.items[1], claim, diagnostics);
        return;
    }
    claim.least = read_bound(value, claim, diagnostics);
    claim.most = claim.least;
}

std::vector<Claim> read_expect(const Value* map, Diagnostics& diagnostics) {
    std::vector<Claim> out;
    if (map == nullptr) {
        return out;
    }
    if (!map->is_map()) {
        expected(
            *map, "a map from metrics to ranges, such as {success_rate: [0.9, 1]}", diagnostics);
        return out;
    }
    const bool by_interval = goes_by_interval(map->find("confidence"), true, diagnostics);
    for (const core::Member& member : map->members) {
        if (member.key == "confidence") {
            continue;
        }
        Claim& claim = out.emplace_back();
        claim.metric = member.key;
        claim.span = member.key_span;
        claim.by_interval = by_interval;
        if (member.value.is_map()) {
            read_bounds(member.value, claim, diagnostics);
        } else if (member.value.is_scalar() ||
                   (member.value.is_list() && member.value.items.size() == 2)) {
            read_expected_range(member.value, claim, diagnostics);
        } else {
            expected(member.value, "a number, [least, most] or {min: ..., max: ...}", diagnostics);
        }
        if (claim.least > claim.most) {
            diagnostics.error(
                member.value.span,
                fmt::format("{} above {}: expected the least first", claim.least, claim.most));
        }
    }
    return out;
}

}  // namespace berth::experiments
