#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace berth::core {

/// Parses all of `text` as a number in the decimal form of std::from_chars (no blank, no `+`).
/// Nothing if it is not a number or is out of range. For integers and floating-point numbers. It is
/// inlined because readers of traces do little else.
template <class Number>
[[nodiscard, gnu::always_inline]] inline std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace berth::core
