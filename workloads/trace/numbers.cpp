#include "workloads/trace/numbers.hpp"

#include <array>
#include <chrono>
#include <limits>

#include "core/support/decimal.hpp"
#include "core/support/parse_number.hpp"
#include "core/tree/resources.hpp"

namespace berth::workloads {
namespace {

__extension__ using Wide = unsigned __int128;

enum class Rounding : std::uint8_t { up, nearest, none };

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

using Decimal = core::Decimal<std::uint64_t>;

std::optional<Decimal> parse(std::string_view text) {
    auto number = core::eat_decimal<std::uint64_t>(text);
    if (number && !text.empty()) {
        const auto exponent = core::parse_exponent(text, 9999);
        number->exponent += exponent.value_or(0);
        return exponent ? number : std::nullopt;
    }
    return number;
}

std::variant<std::int64_t, NumberFault> scaled(const Decimal& number,
                                               std::int64_t per_unit,
                                               Rounding rounding) {
    constexpr Wide amount_max = std::numeric_limits<std::int64_t>::max();
    // Decimals that fit the unit need no wide division: 12.5 s are 125 * 10^8 ns.
    std::int64_t below_zero = number.exponent;
    for (; below_zero < 0 && per_unit % 10 == 0; ++below_zero) {
        per_unit /= 10;
    }
    Wide value = Wide{number.mantissa} * static_cast<Wide>(per_unit);
    for (std::int64_t exponent = number.exponent; exponent > 0 && value != 0; --exponent) {
        if (value > amount_max) {
            return NumberFault::too_large;
        }
        value *= 10;
    }
    bool below = number.rest;  // whether something is left of what was divided away
    bool half = false;         // whether that is at least half a unit
    for (std::int64_t exponent = below_zero; exponent < 0 && (value != 0 || half); ++exponent) {
        below = below || half || value % 10 != 0;
        half = value % 10 >= 5;
        value /= 10;
    }
    if (rounding == Rounding::none && (below || half)) {
        return NumberFault::fractional;
    }
    if (rounding == Rounding::up ? (below || half) : half) {
        ++value;
    }
    if (value > amount_max) {
        return NumberFault::too_large;
    }
    return static_cast<std::int64_t>(value);
}

/// Parses a non-negative number of at most `max`.
std::variant<std::int64_t, NumberFault> parse_rounded(std::string_view text,
                                                      std::int64_t per_unit,
                                                      std::int64_t max,
                                                      Rounding rounding) {
    if (const auto whole = core::parse_number<std::int64_t>(text); whole && *whole >= 0) {
        const auto product = core::checked_multiply(*whole, per_unit);
        return product && *product <= max ? std::variant<std::int64_t, NumberFault>(*product)
                                          : NumberFault::too_large;
    }
    const auto number = parse(text);
    if (!number) {
        return NumberFault::malformed;
    }
    if (number->negative && (number->mantissa != 0 || number->rest)) {
        return NumberFault::negative;
    }
    const auto value = scaled(*number, per_unit, rounding);
    const auto* amount = std::get_if<std::int64_t>(&value);
    return amount != nullptr && *amount > max ? NumberFault::too_large : value;
}

constexpr std::int64_t second = 1'000'000'000;

/// Takes a number of `digits_min` to `digits_max` digits from the front of the text.
std::optional<std::int64_t> eat_number(std::string_view& text,
                                       std::size_t digits_min,
                                       std::size_t digits_max) {
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < text.size() && count < digits_max && is_digit(text[count]); ++count) {
        value = 10 * value + (text[count] - '0');
    }
    text.remove_prefix(count);
    return count < digits_min ? std::nullopt : std::optional(value);
}

bool eat(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// Takes a fraction of a second, if the text begins with one; digits beyond nine are dropped.
std::int64_t eat_fraction(std::string_view& text) {
    if (text.size() < 2 || text.front() != '.' || !is_digit(text[1])) {
        return 0;
    }
    text.remove_prefix(1);
    std::int64_t nanoseconds = 0;
    std::int64_t unit = second;
    while (!text.empty() && is_digit(text.front())) {
        unit /= 10;
        nanoseconds += unit * (text.front() - '0');
        text.remove_prefix(1);
    }
    return nanoseconds;
}

/// Takes `HH:MM:SS`, in which the seconds and their fraction are optional.
std::optional<std::int64_t> eat_time_of_day(std::string_view& text) {
    const auto hours = eat_number(text, 2, 2);
    const auto minutes = hours && eat(text, ':') ? eat_number(text, 2, 2) : std::nullopt;
    if (!minutes) {
        return std::nullopt;
    }
    const auto seconds = eat(text, ':') ? eat_number(text, 2, 2) : std::optional<std::int64_t>(0);
    if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) {  // a leap second is the 60th
        return std::nullopt;
    }
    return (3600 * *hours + 60 * *minutes + *seconds) * second + eat_fraction(text);
}

/// Takes `Z`, `+HH:MM` or `+HHMM`, if the text begins with one. Returns nanoseconds east of UTC.
std::optional<std::int64_t> eat_zone(std::string_view& text) {
    if (text.empty() || eat(text, 'Z')) {
        return 0;
    }
    const bool west = text.front() == '-';
    if (!eat(text, '+') && !eat(text, '-')) {
        return std::nullopt;
    }
    const auto hours = eat_number(text, 2, 2);
    eat(text, ':');
    const auto minutes = eat_number(text, 2, 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) {
        return std::nullopt;
    }
    const std::int64_t east = (3600 * *hours + 60 * *minutes) * second;
    return west ? -east : east;
}

}  // namespace

std::string_view describe(NumberFault fault) {
    static constexpr std::array names{"no number", "negative", "not whole", "too large"};
    return names[static_cast<std::size_t>(fault)];
}

std::variant<std::int64_t, NumberFault> parse_amount(std::string_view text,
                                                     const AmountUnit& unit) {
    return parse_rounded(text, unit.per_unit, unit.max, unit.whole ? Rounding::none : Rounding::up);
}

std::variant<sim::SimTime, NumberFault> parse_seconds(std::string_view text) {
    const auto value = parse_rounded(text, second, time_max.count(), Rounding::nearest);
    if (const auto* fault = std::get_if<NumberFault>(&value)) {
        return *fault;
    }
    return sim::SimTime(std::get<std::int64_t>(value));
}

std::variant<sim::SimTime, NumberFault> parse_instant(std::string_view text) {
    const auto seconds = parse_seconds(text);
    const auto* fault = std::get_if<NumberFault>(&seconds);
    if (fault == nullptr || *fault != NumberFault::too_large) {
        return seconds;
    }
    constexpr std::int64_t since_1973 = 100'000'000 * second;  // so that no unit is guessed wrong
    for (const std::int64_t unit : {second / 1'000, second / 1'000'000, second / 1'000'000'000}) {
        const auto finer = parse_rounded(text, unit, time_max.count(), Rounding::nearest);
        const auto* count = std::get_if<std::int64_t>(&finer);
        if (count != nullptr && *count >= since_1973) {
            return sim::SimTime(*count);
        }
    }
    return seconds;
}

std::optional<sim::SimTime> parse_date_time(std::string_view text) {
    const auto year = eat_number(text, 4, 4);
    const auto month = year && eat(text, '-') ? eat_number(text, 1, 2) : std::nullopt;
    const auto day = month && eat(text, '-') ? eat_number(text, 1, 2) : std::nullopt;
    // Times in these years are within time_max of each other.
    if (!day || *year < 1900 || *year > 2100) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) {
        return std::nullopt;
    }
    std::int64_t of_day = 0;
    std::int64_t east = 0;
    if (!text.empty()) {
        const bool parted = eat(text, 'T') || eat(text, ' ');
        const auto time = parted ? eat_time_of_day(text) : std::nullopt;
        const auto zone = time ? eat_zone(text) : std::nullopt;
        if (!zone || !text.empty()) {
            return std::nullopt;
        }
        of_day = *time;
        east = *zone;
    }
    const sim::SimTime midnight = std::chrono::sys_days(date).time_since_epoch();
    return midnight + sim::SimTime(of_day - east);
}

std::optional<sim::SimTime> parse_clock(std::string_view text) {
    constexpr std::int64_t day_max = 50'000;  // 136 years
    std::int64_t days = 0;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto count = eat_number(text, 1, 6);
        if (!count || *count > day_max || !eat(text, '-')) {
            return std::nullopt;
        }
        days = *count;
    }
    std::array<std::int64_t, 3> parts{};
    std::size_t count = 0;
    do {
        const auto part = eat_number(text, 1, 6);
        if (!part) {
            return std::nullopt;
        }
        parts[count++] = *part;
    } while (count < parts.size() && eat(text, ':'));
    if (count < 2) {
        return std::nullopt;
    }
    std::int64_t seconds = 60 * parts[0] + parts[1];
    if (count == parts.size()) {
        seconds = 60 * seconds + parts[2];
    }
    const sim::SimTime time((86'400 * days + seconds) * second + eat_fraction(text));
    return text.empty() && time <= time_max ? std::optional(time) : std::nullopt;
}

}  // namespace berth::workloads
