#include "experiments/program/results/time_to_failure.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>

#include "core/support/assert.hpp"
#include "core/support/mpfr_number.hpp"

namespace berth::report {
namespace {

using core::MpfrNumber;

constexpr mpfr_prec_t bits = 256;

/// The probability of at most `most` events if `mean` are expected: the sum of the terms e^-mean
/// mean^i / i!, from the last one down until they no longer change it.
void set_at_most(MpfrNumber& out, std::uint64_t most, mpfr_srcptr mean) {
    constexpr mpfr_exp_t bits_needed = 192;
    MpfrNumber term(bits);  // relative to the last term
    MpfrNumber sum(bits);
    mpfr_set_ui(term.get(), 1, MPFR_RNDN);
    mpfr_set_ui(sum.get(), 1, MPFR_RNDN);
    for (std::uint64_t i = most; i > 0; --i) {
        mpfr_mul_ui(term.get(), term.get(), i, MPFR_RNDN);
        mpfr_div(term.get(), term.get(), mean, MPFR_RNDN);
        mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
        if (mpfr_cmp_ui(mean, i) > 0 &&
            mpfr_get_exp(term.get()) + bits_needed < mpfr_get_exp(sum.get())) {
            break;
        }
    }
    MpfrNumber factorial(bits);  // its logarithm
    mpfr_set_ui(factorial.get(), most, MPFR_RNDN);
    mpfr_add_ui(factorial.get(), factorial.get(), 1, MPFR_RNDN);
    mpfr_lngamma(factorial.get(), factorial.get(), MPFR_RNDN);
    mpfr_log(out.get(), mean, MPFR_RNDN);
    mpfr_mul_ui(out.get(), out.get(), most, MPFR_RNDN);
    mpfr_sub(out.get(), out.get(), mean, MPFR_RNDN);
    mpfr_sub(out.get(), out.get(), factorial.get(), MPFR_RNDN);
    mpfr_exp(out.get(), out.get(), MPFR_RNDN);
    mpfr_mul(out.get(), out.get(), sum.get(), MPFR_RNDN);
}

/// The mean at which at most `most` events have a probability of this many twentieths.
class Quantile {
public:
    Quantile(std::uint64_t most, unsigned long twentieths) : most_(most), twentieths_(twentieths) {}

    /// `near` may differ from the nearest double only in some of its last digits.
    [[nodiscard]] double nearest(double near) const {
        constexpr double far = 1e-9;
        double low = near * (1 - far);
        double high = near * (1 + far);
        BERTH_ASSERT(is_below(low, low) && !is_below(high, high), "the library's quantile is near");
        while (std::nextafter(low, high) < high) {
            const double middle = low + (high - low) / 2;
            (is_below(middle, middle) ? low : high) = middle;
        }
        return is_below(low, high) ? high : low;
    }

private:
    /// Whether the midpoint of the two numbers is less than the quantile.
    [[nodiscard]] bool is_below(double one, double other) const {
        MpfrNumber mean(bits);
        mpfr_set_d(mean.get(), one, MPFR_RNDN);
        mpfr_add_d(mean.get(), mean.get(), other, MPFR_RNDN);
        mpfr_div_2ui(mean.get(), mean.get(), 1, MPFR_RNDN);
        MpfrNumber share(bits);
        set_at_most(share, most_, mean.get());
        mpfr_mul_ui(share.get(), share.get(), 20, MPFR_RNDN);
        return mpfr_cmp_ui(share.get(), twentieths_) > 0;
    }

    std::uint64_t most_;
    unsigned long twentieths_;
};

/// Half of a chi-square quantile with many degrees of freedom, by arithmetic that rounds in the
/// same way everywhere; `z` is the quantile of the normal distribution. The relative error is 5e-12
/// for two million degrees, and smaller for more.
/// Source: Wilson and Hilferty, "The Distribution of Chi-Square", PNAS 17 (1931).
double half_chi_squared_of_many(std::uint64_t degrees, double z) {
    const auto n = static_cast<double>(degrees);
    const double root = 1 - 2 / (9 * n) + z * std::sqrt(2 / (9 * n));
    return n / 2 * root * root * root;
}

double half_chi_squared(std::uint64_t degrees, double share) {
    const boost::math::chi_squared law(static_cast<double>(degrees));
    return boost::math::quantile(law, share) / 2;
}

}  // namespace

ExpectedEvents expected_events90(std::uint64_t events) {
    constexpr std::uint64_t many = 1'000'000;
    constexpr double z95 = 1.6448536269514722;
    ExpectedEvents expected;
    if (events > many) {
        expected.low = half_chi_squared_of_many(2 * events, -z95);
        expected.high = half_chi_squared_of_many(2 * events + 2, z95);
        return expected;
    }
    if (events > 0) {
        expected.low = Quantile(events - 1, 19).nearest(half_chi_squared(2 * events, 0.05));
    }
    expected.high = Quantile(events, 1).nearest(half_chi_squared(2 * events + 2, 0.95));
    return expected;
}

TimeToFailure time_to_failure(std::uint64_t interruptions, double running_s) {
    const ExpectedEvents expected = expected_events90(interruptions);
    TimeToFailure time;
    time.low_s = running_s / expected.high;
    if (interruptions > 0) {
        time.mean_s = running_s / static_cast<double>(interruptions);
        time.high_s = running_s / expected.low;
    }
    return time;
}

}  // namespace berth::report
