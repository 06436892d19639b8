#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/support/exact_math.hpp"

namespace berth::core {

/// The functions of rounded_math.hpp. They use long doubles where these settle which double is
/// nearest, and exact_math.hpp elsewhere. The result does not depend on which of the two answers.
///
/// Library: `exp`, `log`, `log1p`, `cos` and `normal_quantile` in long double. Each is off by at
///          most `error_max` (absolutely for cos, relatively for the others), and returns
///          not-a-number where it is less precise. C libraries state errors of one to three units
///          in the last place, and Boost states two for the quantile; `error_max` is 32 units in
///          the last of 64 bits.
template <class Library>
struct RoundedBy {
    static constexpr long double error_max = 0x1p-59L;

    static double exp(double x) {
        const std::optional<double> sure = nearest(Library::exp(x), error_max);
        return sure ? *sure : exact::exp(x);
    }
    static double log(double x) {
        const std::optional<double> sure = nearest(Library::log(x), error_max);
        return sure ? *sure : exact::log(x);
    }
    static double log1p(double x) {
        const std::optional<double> sure = nearest(Library::log1p(x), error_max);
        return sure ? *sure : exact::log1p(x);
    }
    static double cos(double x) {
        const long double about = Library::cos(x);
        const std::optional<double> sure = nearest(about, error_max / std::abs(about));
        return sure ? *sure : exact::cos(x);
    }
    /// Computed as exp(y log(x)), since the powl of some libraries is off by more than `error_max`.
    static double pow(double x, double y) {
        if (x > 0) {
            const long double exponent = y * Library::log(x);
            const long double error = error_max * (1 + std::abs(exponent));
            if (const std::optional<double> sure = nearest(Library::exp(exponent), error)) {
                return *sure;
            }
        }
        return exact::pow(x, y);
    }
    static double normal_quantile(double u) {
        if (!(u > 0 && u < 1)) {
            const double infinity = std::numeric_limits<double>::infinity();
            return u == 0   ? -infinity
                   : u == 1 ? infinity
                            : std::numeric_limits<double>::quiet_NaN();
        }
        if (u >= 0.5) {
            return u == 0.5 ? 0 : -normal_quantile(1 - u);  // 1 - u is exact
        }
        const auto [low, high] = ends(Library::normal_quantile(u), error_max);
        if (low == high) {
            return low;
        }
        return high == std::nextafter(low, 0) ? exact::nearer_normal_quantile(u, low, high)
                                              : exact::normal_quantile(u);
    }

private:
    /// The doubles nearest to both ends of the range of real numbers that `value` may stand for.
    static std::pair<double, double> ends(long double value, long double relative_error) {
        constexpr long double more = 1.25;  // this covers the rounding on the way here and below
        const long double error = more * relative_error * std::abs(value);
        return {static_cast<double>(value - error), static_cast<double>(value + error)};
    }
    static std::optional<double> nearest(long double value, long double relative_error) {
        const auto [low, high] = ends(value, relative_error);
        return low == high ? std::optional(low) : std::nullopt;
    }
};

}  // namespace berth::core
