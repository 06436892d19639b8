#include "core/support/double_double.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace berth::core {
namespace {

/// A logarithm in two parts. The first part is a multiple of 2^-46, so that sums of a few such
/// parts, and their products with numbers of few bits, are exact.
struct Parts {
    double high = 0;
    double low = 0;
};

Parts parts_of(DoubleDouble value) {
    constexpr double rounder = 0x1.8p6;  // adding it drops all bits below 2^-46
    const double high = (value.high + rounder) - rounder;
    return {high, (value.high - high) + value.low};
}

/// log(a / b) for numbers of few bits, computed as 2 artanh((a - b) / (a + b)).
DoubleDouble log_of_ratio(double a, double b) {
    const DoubleDouble t = DoubleDouble{a - b} / (a + b);
    const DoubleDouble square = t * t;
    DoubleDouble power = t;
    DoubleDouble sum = t;
    constexpr double negligible = 0x1p-120;
    for (double n = 3; power.high > negligible || power.high < -negligible; n += 2) {
        power = power * square;
        sum = sum + power / n;
    }
    return {2 * sum.high, 2 * sum.low};
}

/// For each interval of numbers from 1 to 2 that begin with the same seven bits: a factor of few
/// bits that turns them into 1 + z with |z| < 2^-7, and the logarithm of that factor.
class Table {
public:
    static constexpr int index_bits = 7;
    static constexpr std::size_t size = std::size_t{1} << index_bits;

    struct Entry {
        double reciprocal = 1;
        Parts minus_log;
    };

    Table() : log_of_2_(parts_of(log_of_ratio(2, 1))) {
        // Close to 1 nothing may cancel out, so the reciprocal there is 1.
        for (std::size_t i = 1; i + 1 < size; ++i) {
            constexpr double steps = 256;
            const double middle =
                (1 + (static_cast<double>(i) + 0.5) / size) / (is_upper(i) ? 2 : 1);
            const double reciprocal = std::round(steps / middle);
            entries_[i] = {reciprocal / steps, parts_of(log_of_ratio(steps, reciprocal))};
        }
    }
    /// Numbers from 1.5 on are halved, so that numbers close to 1 are treated alike on both sides
    /// of it.
    static bool is_upper(std::size_t index) { return index >= size / 2; }
    [[nodiscard]] const Entry& operator[](std::size_t index) const { return entries_[index]; }
    [[nodiscard]] const Parts& log_of_2() const { return log_of_2_; }

private:
    std::array<Entry, size> entries_{};
    Parts log_of_2_;
};

/// A positive double as m 2^k with m from 0.75 to 1.5, and the index of m in the table.
struct Scaled {
    double m = 0;
    int k = 0;
    std::size_t index = 0;
};

Scaled scaled(double x) {
    constexpr int mantissa_bits = 52;
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits) - 1;
    constexpr std::uint64_t bias = 1023;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::size_t index = (bits & mantissa) >> (mantissa_bits - Table::index_bits);
    const std::uint64_t up = Table::is_upper(index) ? 1 : 0;
    return {std::bit_cast<double>((bits & mantissa) | (bias - up) << mantissa_bits),
            static_cast<int>(bits >> mantissa_bits) - static_cast<int>(bias - up),
            index};
}

/// 2^k, where k is the exponent of a normal double.
double power_of_2(int k) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// log(1 + z) - z + z^2 / 2 for |z| < 2^-7, from the series up to the tenth power. It is off by
/// 2^-75, and relatively by some 2^-52.
double cubic_and_above(double z) {
    const double series =
        1.0 / 3 +
        z * (-1.0 / 4 +
             z * (1.0 / 5 +
                  z * (-1.0 / 6 +
                       z * (1.0 / 7 + z * (-1.0 / 8 + z * (1.0 / 9 + z * (-1.0 / 10)))))));
    return z * z * z * series;
}

}  // namespace

DoubleDouble double_double_log1p(double x) {
    static const Table table;
    const DoubleDouble sum = exact_sum(1, x);
    const auto [m, k, index] = scaled(sum.high);
    const Table::Entry& entry = table[index];
    // 1 + x = 2^k (1 + z) / reciprocal. The product with a number of so few bits is exact.
    const DoubleDouble of_m = halves(m);
    const DoubleDouble product =
        exact_sum(of_m.high * entry.reciprocal - 1, of_m.low * entry.reciprocal);
    const DoubleDouble z =
        exact_sum(product.high, product.low + sum.low * (power_of_2(-k) * entry.reciprocal));
    const DoubleDouble square = exact_product(z.high, z.high);
    const Parts& log_of_2 = table.log_of_2();
    const DoubleDouble whole = exact_sum(k * log_of_2.high + entry.minus_log.high, z.high);
    const DoubleDouble less = exact_sum(whole.high, -0.5 * square.high);
    const double rest = (k * log_of_2.low + entry.minus_log.low) + (z.low - z.high * z.low) -
                        0.5 * square.low + cubic_and_above(z.high);
    const double low = (whole.low + less.low) + rest;
    return exact_sum(less.high, low);
}

}  // namespace berth::core
