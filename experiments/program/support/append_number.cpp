#include "experiments/program/support/append_number.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace berth::experiments {

char* write_number(char* out, double number) {
    // Most numbers are counts and amounts. These are whole, and need no search for the shortest
    // decimal.
    constexpr double whole_max = 9'007'199'254'740'992;  // 2^53
    if (std::abs(number) < whole_max) {
        const auto whole = static_cast<std::int64_t>(number);
        if (static_cast<double>(whole) == number && (whole != 0 || !std::signbit(number))) {
            constexpr std::ptrdiff_t digits_max = 20;
            return std::to_chars(out, out + digits_max, whole).ptr;
        }
    }
    return fmt::format_to(out, FMT_COMPILE("{}"), number);
}

void append_number(std::string& out, double number) {
    std::array<char, number_chars_max> digits{};
    out.append(digits.data(), write_number(digits.data(), number));
}

}  // namespace berth::experiments
