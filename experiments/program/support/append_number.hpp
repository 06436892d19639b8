#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>

namespace berth::experiments {

/// Numbers as tables have them.

template <std::integral Integer>
void append_integer(std::string& out, Integer number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}
/// In as few digits as tell it from every other number.
void append_number(std::string& out, double number);
/// The same, from `out` on, where at least number_chars_max bytes are free. Returns: its end.
char* write_number(char* out, double number);
/// No number that is written takes more characters.
inline constexpr std::size_t number_chars_max = 32;

}  // namespace berth::experiments
