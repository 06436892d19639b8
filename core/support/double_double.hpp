#pragma once

#include <bit>
#include <cstdint>

namespace berth::core {

/// A number that is stored as two doubles, whose sum it is. The second is at most half a unit in
/// the last place of the first, so together they have about 106 bits.
///
/// Source: Dekker, "A floating-point technique for extending the available precision", 1971. Each
///         operation on doubles must be rounded to the nearest double, and none may be contracted.
struct DoubleDouble {
    double high = 0;
    double low = 0;
};

/// a + b exactly, whichever is larger (Knuth).
[[nodiscard]] constexpr DoubleDouble exact_sum(double a, double b) {
    const double sum = a + b;
    const double b_there = sum - a;
    return {sum, (a - (sum - b_there)) + (b - b_there)};
}

/// The same sum where `a` is not smaller in magnitude than `b`, or is 0.
[[nodiscard]] constexpr DoubleDouble exact_sum_of_ordered(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

/// A double as the sum of two doubles that have at most 26 and 27 bits, so that products of such
/// halves are exact.
[[nodiscard]] constexpr DoubleDouble halves(double a) {
    constexpr std::uint64_t upper = ~std::uint64_t{0} << 27;
    const auto high = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & upper);
    return {high, a - high};
}

/// a * b exactly, as long as nothing overflows or underflows.
[[nodiscard]] constexpr DoubleDouble exact_product(double a, double b) {
    const double product = a * b;
    const DoubleDouble of_a = halves(a);
    const DoubleDouble of_b = halves(b);
    const double rest =
        ((of_a.high * of_b.high - product) + of_a.high * of_b.low + of_a.low * of_b.high) +
        of_a.low * of_b.low;
    return {product, rest};
}

/// The results of the following operations are off by some units in the last of 106 bits.
[[nodiscard]] constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble sum = exact_sum(a.high, b.high);
    return exact_sum_of_ordered(sum.high, sum.low + (a.low + b.low));
}

[[nodiscard]] constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble product = exact_product(a.high, b.high);
    return exact_sum_of_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

[[nodiscard]] constexpr DoubleDouble operator/(DoubleDouble a, double b) {
    const double quotient = a.high / b;
    const DoubleDouble there = exact_product(quotient, b);
    const double left = ((a.high - there.high) - there.low) + a.low;
    return exact_sum_of_ordered(quotient, left / b);
}

/// log(1 + x) for -1 < x <= 1, where |x| is at least 2^-500, with a relative error of at most
/// `log1p_error_max`.
///
/// Cost:   some 60 operations on doubles; the first call of a process makes a table of 2 KB.
/// Source: Tang, "Table-driven implementation of the logarithm function in IEEE floating-point
///         arithmetic", 1990, in two doubles.
[[nodiscard]] DoubleDouble double_double_log1p(double x);

inline constexpr double log1p_error_max = 0x1p-63;

}  // namespace berth::core
