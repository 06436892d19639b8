#include "sim/clock/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"
#include "core/tree/resources.hpp"

namespace berth::sim {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
};
constexpr std::array units{
    Unit{"d", 86'400'000'000'000},
    Unit{"h", 3'600'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},
    Unit{"us", 1'000},
    Unit{"ns", 1},
};

DurationFault fault_of(core::QuantityFault fault) {
    switch (fault) {
        case core::QuantityFault::fractional:
            return DurationFault::too_fine;
        case core::QuantityFault::overflow:
            return DurationFault::too_long;
        case core::QuantityFault::malformed:
        case core::QuantityFault::negative:
            break;
    }
    return DurationFault::malformed;
}

}  // namespace

std::variant<SimTime, DurationFault> duration_or_fault(std::string_view text) {
    if (text == "0") {
        return SimTime(0);
    }
    std::int64_t total = 0;
    if (text.empty()) {
        return DurationFault::malformed;
    }
    while (!text.empty()) {
        const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
        const std::size_t unit_end =
            std::min(text.find_first_of("0123456789.", number_end), text.size());
        const std::string_view name = text.substr(number_end, unit_end - number_end);
        const auto unit = std::ranges::find(units, name, &Unit::name);
        if (unit == units.end()) {
            return DurationFault::malformed;
        }
        const auto part = core::parse_quantity(text.substr(0, number_end), unit->nanoseconds);
        if (const auto* fault = std::get_if<core::QuantityFault>(&part)) {
            return fault_of(*fault);
        }
        const auto sum = core::checked_add(total, std::get<core::Amount>(part));
        if (!sum) {
            return DurationFault::too_long;
        }
        total = *sum;
        text.remove_prefix(unit_end);
    }
    return SimTime(total);
}

std::optional<SimTime> parse_duration(std::string_view text) {
    const auto parsed = duration_or_fault(text);
    const auto* duration = std::get_if<SimTime>(&parsed);
    return duration != nullptr ? std::optional(*duration) : std::nullopt;
}

std::optional<SimTime> tick_from(SimTime time, SimTime period) {
    BERTH_ASSERT(time >= SimTime(0), "time begins at 0");
    if (period <= SimTime(0) || time % period == SimTime(0)) {
        return time;
    }
    const auto ticks = time / period + 1;
    return ticks > never / period ? std::nullopt : std::optional(ticks * period);
}

std::string format_seconds(SimTime time) {
    std::string out;
    append_seconds(out, time);
    return out;
}

std::string time_text(SimTime time) {
    if (time <= std::chrono::minutes(2)) {
        return format_seconds(std::chrono::round<std::chrono::milliseconds>(time)) + " s";
    }
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> units{
        {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
    std::int64_t rest = std::chrono::round<std::chrono::seconds>(time).count();
    std::vector<std::string> parts;
    for (const auto& [size, unit] : units) {
        if (rest >= size) {
            parts.push_back(fmt::format("{} {}", rest / size, unit));
            rest %= size;
        }
    }
    return core::join(parts, " ");
}

}  // namespace berth::sim
