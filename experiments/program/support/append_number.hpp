#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>

namespace berth::experiments {

/// Writes numbers as tables have them.

template <std::integral Integer>
void append_integer(std::string& out, Integer number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}
/// Appends as few digits as distinguish the number from every other number.
void append_number(std::string& out, double number);
/// Writes the same from `out` on, where at least number_chars_max bytes must be free. Returns: the
/// end of it.
char* write_number(char* out, double number);
/// The maximum number of characters of a written number.
inline constexpr std::size_t number_chars_max = 32;

}  // namespace berth::experiments
