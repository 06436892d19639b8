#include "sim/clock/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <variant>

#include "core/support/assert.hpp"
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

/// 00 01 02 ... 99
constexpr auto two_digits = [] {
    std::array<char, 200> digits{};
    for (std::size_t i = 0; i < 100; ++i) {
        digits[2 * i] = static_cast<char>('0' + i / 10);
        digits[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return digits;
}();

}  // namespace

std::optional<SimTime> parse_duration(std::string_view text) {
    if (text == "0") {
        return SimTime(0);
    }
    std::int64_t total = 0;
    if (text.empty()) {
        return std::nullopt;
    }
    while (!text.empty()) {
        const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
        const std::size_t unit_end =
            std::min(text.find_first_of("0123456789.", number_end), text.size());
        const std::string_view name = text.substr(number_end, unit_end - number_end);
        const auto unit = std::ranges::find(units, name, &Unit::name);
        if (unit == units.end()) {
            return std::nullopt;
        }
        const auto part = core::parse_quantity(text.substr(0, number_end), unit->nanoseconds);
        const auto* amount = std::get_if<core::Amount>(&part);
        const auto sum = amount ? core::checked_add(total, *amount) : std::nullopt;
        if (!sum) {
            return std::nullopt;
        }
        total = *sum;
        text.remove_prefix(unit_end);
    }
    return SimTime(total);
}

std::optional<SimTime> tick_from(SimTime time, SimTime period) {
    BERTH_ASSERT(time >= SimTime(0), "time begins at 0");
    if (period <= SimTime(0) || time % period == SimTime(0)) {
        return time;
    }
    const auto ticks = time / period + 1;
    return ticks > never / period ? std::nullopt : std::optional(ticks * period);
}

char* write_seconds(char* out, SimTime time) {
    constexpr std::uint64_t second = 1'000'000'000;
    if (time < SimTime(0)) {
        *out++ = '-';
    }
    const std::int64_t signed_count = time.count();
    // The least number has no positive counterpart but as an unsigned one.
    const std::uint64_t count = signed_count < 0 ? 0 - static_cast<std::uint64_t>(signed_count)
                                                 : static_cast<std::uint64_t>(signed_count);
    out = std::to_chars(out, out + seconds_chars_max, count / second).ptr;
    const auto fraction = static_cast<std::uint32_t>(count % second);
    if (fraction == 0) {
        return out;
    }
    // Nine digits as 2 + 2 + 2 + 2 + 1: tables are full of such numbers.
    const auto pair = [](char* to, std::uint32_t number) {
        std::memcpy(to, &two_digits[std::size_t{2} * number], 2);
    };
    const std::uint32_t high = fraction / 100'000;
    const std::uint32_t low = fraction % 100'000;
    const std::uint32_t low_four = low / 10;
    *out++ = '.';
    pair(out, high / 100);
    pair(out + 2, high % 100);
    pair(out + 4, low_four / 100);
    pair(out + 6, low_four % 100);
    out[8] = static_cast<char>('0' + low % 10);
    out += 9;
    while (*(out - 1) == '0') {
        --out;
    }
    return out;
}

void append_seconds(std::string& out, SimTime time) {
    std::array<char, seconds_chars_max> text{};
    out.append(text.data(), write_seconds(text.data(), time));
}

std::string format_seconds(SimTime time) {
    std::string out;
    append_seconds(out, time);
    return out;
}

}  // namespace berth::sim
