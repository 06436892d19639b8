#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::report {

/// 10^exponent, and infinity above the largest double.
[[nodiscard]] double power_of_ten(int exponent);

/// The exponent of the largest power of ten that is at most `value`, which is above 0: -2 of 0.05.
/// By the number's digits: the C library's log10 may round up to the next exponent.
[[nodiscard]] int decimal_exponent(double value);

/// A number without an interval: so many digits, and all of those before the point below 10^9.
[[nodiscard]] std::string number_text(double value, int digits = 4);

/// A unit that values are shown in, as it follows a number, and how many of it one of their own is.
struct Scale {
    std::string_view suffix;
    double factor = 1;
};
/// Seconds below two minutes, minutes below two hours, hours below two days, or else days.
[[nodiscard]] Scale time_scale(double seconds);
/// `52.6 min`
[[nodiscard]] std::string duration_text(double seconds);
/// `1.25 Ti`
[[nodiscard]] std::string bytes_text(double bytes);

/// A number with the digits that an interval around it carries: as many places as show two digits
/// of `ci95`, and none below the point where `ci95` is 10 or more. The page's `withInterval` has
/// the same rule.
[[nodiscard]] std::string text_to_interval(double value, double ci95);

/// Whether there is an interval, and one that is wider than the last bits of the mean: those of
/// replications that are equal may differ. The page's `withInterval` has the same rule.
[[nodiscard]] bool has_width(double mean, std::optional<double> ci95);

/// `18.26 ± 0.27`; the number alone where the interval has no width.
[[nodiscard]] std::string with_interval(double mean, std::optional<double> ci95);

}  // namespace berth::report
