#include "experiments/program/support/power_of_ten.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "core/support/parse_number.hpp"

namespace berth::report {

double power_of_ten(int exponent) {
    const double beyond = exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
    return core::parse_number<double>("1e" + std::to_string(exponent)).value_or(beyond);
}

int decimal_exponent(double value) {
    std::array<char, 32> digits{};
    const double finite = std::min(value, std::numeric_limits<double>::max());
    const auto written = std::to_chars(
        digits.data(), digits.data() + digits.size(), finite, std::chars_format::scientific);
    std::string_view text(digits.data(), written.ptr);
    text.remove_prefix(text.find('e') + 1);
    text.remove_prefix(text.front() == '+' ? 1 : 0);
    return core::parse_number<int>(text).value_or(0);
}

}  // namespace berth::report
