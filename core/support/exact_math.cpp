#include "core/support/exact_math.hpp"

#include <mpfr.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/support/assert.hpp"
#include "core/support/mpfr_number.hpp"

namespace berth::core::exact {
namespace {

using Number = MpfrNumber;
using Limits = std::numeric_limits<double>;

/// As long as an object of this exists, MPFR's numbers have the exponents of doubles.
class DoubleRange {
public:
    DoubleRange() : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
        mpfr_set_emin(Limits::min_exponent - Limits::digits + 1);
        mpfr_set_emax(Limits::max_exponent);
    }
    ~DoubleRange() {
        mpfr_set_emin(emin_);
        mpfr_set_emax(emax_);
    }
    DoubleRange(const DoubleRange&) = delete;
    DoubleRange& operator=(const DoubleRange&) = delete;

private:
    mpfr_exp_t emin_;
    mpfr_exp_t emax_;
};

/// The result of one of MPFR's functions, rounded to a double.
template <typename Function, typename... Doubles>
double rounded(Function function, Doubles... arguments) {
    static_assert(Limits::is_iec559 && Limits::digits == 53 && Limits::max_exponent == 1024);
    const DoubleRange range;
    Number result(mpfr_prec_t{Limits::digits});
    const int direction = function(result.get(), Number(arguments).get()..., MPFR_RNDN);
    mpfr_subnormalize(result.get(), direction, MPFR_RNDN);
    return mpfr_get_d(result.get(), MPFR_RNDN);
}

/// erfc(-(low + high) / sqrt(8)): twice the probability that a normally distributed number is below
/// the middle of these two neighbours. The last 14 bits may be wrong: erfc amplifies an error in
/// its argument x by up to 2 x^2 + 2, which is below 2^11 here.
void twice_probability(Number& out, double low, double high, mpfr_prec_t bits) {
    Number root(bits);
    mpfr_sqrt_ui(root.get(), 8, MPFR_RNDN);
    mpfr_set_d(out.get(), low, MPFR_RNDN);
    mpfr_add_d(out.get(), out.get(), high, MPFR_RNDN);
    mpfr_div(out.get(), out.get(), root.get(), MPFR_RNDN);
    mpfr_neg(out.get(), out.get(), MPFR_RNDN);
    mpfr_erfc(out.get(), out.get(), MPFR_RNDN);
}

/// Whether a normally distributed number is below the middle of two neighbours with a probability
/// above `u`.
bool middle_is_above_quantile(double low, double high, double u) {
    constexpr mpfr_prec_t bits_first = 96;
    constexpr mpfr_prec_t bits_last = 6144;
    constexpr mpfr_exp_t bits_wrong = 16;
    const Number twice_u(2 * u);
    for (mpfr_prec_t bits = bits_first; bits <= bits_last; bits *= 2) {
        Number difference(bits);
        twice_probability(difference, low, high, bits);
        mpfr_sub(difference.get(), difference.get(), twice_u.get(), MPFR_RNDN);
        if (mpfr_zero_p(difference.get()) == 0 &&
            mpfr_get_exp(difference.get()) > mpfr_get_exp(twice_u.get()) - bits + bits_wrong) {
            return mpfr_sgn(difference.get()) > 0;
        }
    }
    BERTH_ASSERT(false, "a normal probability is equal to a double");
    return false;
}

}  // namespace

double exp(double x) {
    return rounded(mpfr_exp, x);
}
double log(double x) {
    return rounded(mpfr_log, x);
}
double log1p(double x) {
    return rounded(mpfr_log1p, x);
}
double cos(double x) {
    return rounded(mpfr_cos, x);
}
double pow(double x, double y) {
    return rounded(mpfr_pow, x, y);
}
double gamma(double x) {
    return rounded(mpfr_gamma, x);
}

double normal_quantile(double u) {
    using namespace boost::math::policies;
    using DoublesOnly = policy<promote_double<false>>;
    BERTH_ASSERT(u > 0 && u < 0.5, "the quantile is in the lower half");
    // This is the quantile or near it.
    double z = -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, DoublesOnly());
    double below = std::nextafter(z, -Limits::infinity());
    while (nearer_normal_quantile(u, below, z) == below) {
        z = below;
        below = std::nextafter(z, -Limits::infinity());
    }
    double above = std::nextafter(z, 0);
    while (nearer_normal_quantile(u, z, above) == above) {
        z = above;
        above = std::nextafter(z, 0);
    }
    return z;
}

double nearer_normal_quantile(double u, double low, double high) {
    return middle_is_above_quantile(low, high, u) ? low : high;
}

}  // namespace berth::core::exact
