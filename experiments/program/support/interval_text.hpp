#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::report {

/// 10^exponent; infinity above the largest double.
[[nodiscard]] double power_of_ten(int exponent);

/// The exponent of the largest power of ten that is at most `value`, which must be above 0: -2 for
/// 0.05. It is found from the number's digits, because log10 of the C library may round up to the
/// next exponent.
[[nodiscard]] int decimal_exponent(double value);

/// A number without an interval, with this many digits; below 10^9, all digits before the point are
/// shown.
[[nodiscard]] std::string number_text(double value, int digits = 4);

/// A unit in which values are shown, as the suffix of the number, and how many of it one original
/// unit is.
struct Scale {
    std::string_view suffix;
    double factor = 1;
};
/// Seconds below two minutes, minutes below two hours, hours below two days, and days above.
[[nodiscard]] Scale time_scale(double seconds);
/// Such as `52.6 min`.
[[nodiscard]] std::string duration_text(double seconds);
/// Such as `1.25 Ti`.
[[nodiscard]] std::string bytes_text(double bytes);

/// A number with the digits that its interval supports: as many decimals as show two digits of
/// `ci95`, and none if `ci95` is 10 or more. The page's `withInterval` has the same rule.
[[nodiscard]] std::string text_to_interval(double value, double ci95);

/// Whether there is an interval that is wider than the last bits of the mean, in which even equal
/// replications may differ. The page's `withInterval` has the same rule.
[[nodiscard]] bool has_width(double mean, std::optional<double> ci95);

/// Such as `18.26 ± 0.27`; only the number if the interval has no width.
[[nodiscard]] std::string with_interval(double mean, std::optional<double> ci95);

}  // namespace berth::report
