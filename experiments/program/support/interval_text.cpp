#include "experiments/program/support/interval_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

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

std::string number_text(double value, int digits) {
    const double size = std::abs(value);
    if (size >= 1000 && size < 1e9) {
        return fmt::format("{:.0f}", value);
    }
    return fmt::format("{:.{}g}", value == 0 ? 0 : value, digits);
}

Scale time_scale(double seconds) {
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    constexpr double day = 24 * hour;
    const double size = std::abs(seconds);
    return size < 2 * minute ? Scale{" s", 1}
           : size < 2 * hour ? Scale{" min", 1 / minute}
           : size < 2 * day  ? Scale{" h", 1 / hour}
                             : Scale{" d", 1 / day};
}

std::string duration_text(double seconds) {
    const Scale scale = time_scale(seconds);
    return number_text(seconds * scale.factor) + std::string(scale.suffix);
}

std::string bytes_text(double bytes) {
    constexpr std::array units{"", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei"};
    constexpr double step = 1024;
    std::size_t unit = 0;
    while (std::abs(bytes) >= step && unit + 1 < units.size()) {
        bytes /= step;
        ++unit;
    }
    return number_text(bytes) + units[unit];
}

std::string text_to_interval(double value, double ci95) {
    constexpr double least = 1e-6;
    constexpr double most = 1e9;
    if (!(ci95 >= least && ci95 <= most)) {
        return number_text(value);
    }
    const int places = std::max(0, 1 - decimal_exponent(ci95));
    const std::string text = fmt::format("{:.{}f}", value, places);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero ? fmt::format("{:.{}f}", 0.0, places) : text;  // never -0.00
}

bool has_width(double mean, std::optional<double> ci95) {
    constexpr double rounding = 1e-12;
    return ci95 && *ci95 > rounding * std::abs(mean);
}

std::string with_interval(double mean, std::optional<double> ci95) {
    if (!has_width(mean, ci95)) {
        return number_text(mean);
    }
    return fmt::format("{} ± {}", text_to_interval(mean, *ci95), text_to_interval(*ci95, *ci95));
}

}  // namespace berth::report
