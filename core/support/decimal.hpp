#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/support/parse_number.hpp"

namespace berth::core {

/// mantissa * 10^exponent
template <class Mantissa>
struct Decimal {
    Mantissa mantissa = 0;
    std::int64_t exponent = 0;
    bool negative = false;
    bool full = false;  ///< Not all digits fit: those behind them are only counted.
    bool rest = false;  ///< Some of the digits that did not fit are not 0.
};

/// Moves digits from the head of `text` into the mantissa, either those before the point or those
/// of the fraction. Returns how many there were.
template <class Mantissa>
std::size_t eat_digits(std::string_view& text, Decimal<Mantissa>& number, bool fraction) {
    constexpr Mantissa max = ~Mantissa{0};
    std::size_t count = 0;
    for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
        const auto digit = static_cast<unsigned>(text[count] - '0');
        // Once a digit is left out, each later one is left out too, even if it would fit.
        const bool room =
            number.mantissa < max / 10 || (!number.full && number.mantissa == max / 10 &&
                                           digit <= static_cast<unsigned>(max % 10));
        if (room) {
            number.mantissa = 10 * number.mantissa + digit;
            number.exponent -= fraction ? 1 : 0;
        } else {
            number.full = true;
            number.rest = number.rest || digit != 0;
            number.exponent += fraction ? 0 : 1;
        }
    }
    text.remove_prefix(count);
    return count;
}

/// Takes a number such as `-12.5` off the head of `text`. The sign and the fraction may be missing.
/// Nothing if there is no digit.
template <class Mantissa>
[[nodiscard]] std::optional<Decimal<Mantissa>> eat_decimal(std::string_view& text) {
    Decimal<Mantissa> number;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        number.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    std::size_t digits = eat_digits(text, number, false);
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        digits += eat_digits(text, number, true);
    }
    return digits == 0 ? std::nullopt : std::optional(number);
}

/// Parses all of `text` as an exponent: `e3`, `E-3`, `e+3`. Nothing for any other text, and for an
/// exponent above `max` or below `-max`.
[[nodiscard]] inline std::optional<int> parse_exponent(std::string_view text, int max) {
    if (text.empty() || (text.front() != 'e' && text.front() != 'E')) {
        return std::nullopt;
    }
    const bool plus = text.size() > 1 && text[1] == '+';
    const auto exponent = parse_number<int>(text.substr(plus ? 2 : 1));
    return exponent && *exponent <= max && *exponent >= -max ? exponent : std::nullopt;
}

}  // namespace berth::core
