#include "experiments/program/config/experiment/read_expect.hpp"

#include <fmt/format.h>

#include <limits>

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr double infinite = std::numeric_limits<double>::infinity();

void read_bounds(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    MapReader map(value, "an expectation", diagnostics);
    const Value* min = map.take("min");
    const Value* max = map.take("max");
    map.report_unknown_keys();
    if (min == nullptr && max == nullptr) {
        expected(value, "min, max or both", diagnostics);
    }
    claim.least = min != nullptr ? read_number(*min, diagnostics, -infinite, infinite).value_or(0)
                                 : -infinite;
    claim.most =
        max != nullptr ? read_number(*max, diagnostics, -infinite, infinite).value_or(0) : infinite;
}

}  // namespace

void read_expected_range(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    if (value.is_list() && value.items.size() == 2) {
        claim.least = read_number(value.items[0], diagnostics, -infinite, infinite).value_or(0);
        claim.most = read_number(value.items[1], diagnostics, -infinite, infinite).value_or(0);
        return;
    }
    claim.least = read_number(value, diagnostics, -infinite, infinite).value_or(0);
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
    for (const core::Member& member : map->members) {
        Claim& claim = out.emplace_back();
        claim.metric = member.key;
        claim.span = member.key_span;
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
