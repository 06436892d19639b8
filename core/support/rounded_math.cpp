#include "core/support/rounded_math.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/support/double_double.hpp"
#include "core/support/exact_math.hpp"
#include "core/support/rounded_by.hpp"

namespace berth::core {
namespace {

using Long = long double;

static_assert(FLT_EVAL_METHOD == 0, "each operation of doubles must be rounded to a double");

/// Whether long doubles have 64 bits or more, and calculations use all of them. On some machines a
/// long double is longer than a double in name only, or consists of two doubles; valgrind and some
/// emulators of x86 calculate with 53 bits.
bool long_doubles_are_long() {
    constexpr int digits = std::numeric_limits<Long>::digits;
    if constexpr (digits != 64 && digits != 113) {
        return false;
    }
    const volatile Long one = 1;
    const volatile Long more = one + std::numeric_limits<Long>::epsilon();
    return more - one == std::numeric_limits<Long>::epsilon();
}

Long if_long(Long value) {
    static const bool are_long = long_doubles_are_long();
    return are_long ? value : std::numeric_limits<Long>::quiet_NaN();
}

struct CLibrary {
    static Long exp(Long x) { return if_long(std::exp(x)); }
    static Long log(Long x) { return if_long(std::log(x)); }
    static Long log1p(Long x) { return if_long(std::log1p(x)); }
    static Long cos(Long x) { return if_long(std::cos(x)); }
    static Long normal_quantile(Long u) {
        return if_long(-std::numbers::sqrt2_v<Long> * boost::math::erfc_inv(2 * u));
    }
};

using Rounded = RoundedBy<CLibrary>;

/// The double nearest to log(1 + x), where double_double_log1p() settles which one it is. It does
/// so for all but one in 500 of the arguments that exponential times are made of.
std::optional<double> nearest_log1p(double x) {
    constexpr double least = 0x1p-500;
    if (!(x > -1 && x <= 1 && std::abs(x) >= least)) {
        return std::nullopt;
    }
    const auto [high, low] = double_double_log1p(x);
    const double error = log1p_error_max * std::abs(high);
    const double below = high + (low - error);
    return below == high + (low + error) ? std::optional(below) : std::nullopt;
}

}  // namespace

double rounded_exp(double x) {
    return Rounded::exp(x);
}
double rounded_log(double x) {
    return Rounded::log(x);
}
double rounded_log1p(double x) {
    const std::optional<double> sure = nearest_log1p(x);
    return sure ? *sure : Rounded::log1p(x);
}
double rounded_cos(double x) {
    return Rounded::cos(x);
}
double rounded_pow(double x, double y) {
    return Rounded::pow(x, y);
}
double rounded_gamma(double x) {
    return exact::gamma(x);
}
double rounded_normal_quantile(double u) {
    return Rounded::normal_quantile(u);
}

}  // namespace berth::core
