#pragma once

namespace berth::report {

/// 10^exponent, and infinity above the largest double.
[[nodiscard]] double power_of_ten(int exponent);

/// The exponent of the largest power of ten that is at most `value`, which is above 0: -2 of 0.05.
/// By the number's digits: the C library's log10 may round up to the next exponent.
[[nodiscard]] int decimal_exponent(double value);

}  // namespace berth::report
