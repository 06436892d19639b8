#include "experiments/program/results/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "core/support/assert.hpp"
#include "core/support/mpfr_number.hpp"

namespace berth::report {
namespace {

using core::MpfrNumber;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 1 + c^2 1/2 + c^4 (1 3)/(2 4) + ... up to c^(degrees - 2) for even degrees; and
/// 1 + c^2 2/3 + c^4 (2 4)/(3 5) + ... up to c^(degrees - 3) for odd ones, where 1 has no term.
void sum_terms(MpfrNumber& sum, const MpfrNumber& square, unsigned long degrees) {
    MpfrNumber term(mpfr_get_prec(sum.get()));
    mpfr_set_ui(term.get(), 1, MPFR_RNDN);
    mpfr_set_ui(sum.get(), degrees == 1 ? 0 : 1, MPFR_RNDN);
    for (unsigned long last = degrees % 2 + 2; last < degrees; last += 2) {
        mpfr_mul(term.get(), term.get(), square.get(), MPFR_RNDN);
        mpfr_mul_ui(term.get(), term.get(), last - 1, MPFR_RNDN);
        mpfr_div_ui(term.get(), term.get(), last, MPFR_RNDN);
        mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
    }
}

/// Of odd degrees: with the angle whose tangent is t / sqrt(degrees), in parts of a right angle.
void add_angle(MpfrNumber& sum, const MpfrNumber& t, unsigned long degrees) {
    const mpfr_prec_t bits = mpfr_get_prec(sum.get());
    MpfrNumber part(bits);
    mpfr_sqrt_ui(part.get(), degrees, MPFR_RNDN);
    mpfr_div(part.get(), t.get(), part.get(), MPFR_RNDN);
    mpfr_atan(part.get(), part.get(), MPFR_RNDN);
    mpfr_add(sum.get(), sum.get(), part.get(), MPFR_RNDN);
    mpfr_const_pi(part.get(), MPFR_RNDN);
    mpfr_div(sum.get(), sum.get(), part.get(), MPFR_RNDN);
    mpfr_mul_2ui(sum.get(), sum.get(), 1, MPFR_RNDN);
}

/// The probability of a number outside -t to t, `t` not below 0: 1 - A(t).
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
void set_outside(MpfrNumber& out, const MpfrNumber& t, unsigned long degrees) {
    const mpfr_prec_t bits = mpfr_get_prec(out.get());
    MpfrNumber squares(bits);
    mpfr_sqr(squares.get(), t.get(), MPFR_RNDN);
    mpfr_add_ui(squares.get(), squares.get(), degrees, MPFR_RNDN);
    MpfrNumber factor(bits);
    mpfr_ui_div(factor.get(), degrees, squares.get(), MPFR_RNDN);  // the squared cosine
    sum_terms(out, factor, degrees);
    mpfr_sqrt(factor.get(), factor.get(), MPFR_RNDN);
    if (degrees % 2 == 1) {
        mpfr_mul(out.get(), out.get(), factor.get(), MPFR_RNDN);
    }
    mpfr_rec_sqrt(factor.get(), squares.get(), MPFR_RNDN);
    mpfr_mul(out.get(), out.get(), factor.get(), MPFR_RNDN);  // times the sine
    mpfr_mul(out.get(), out.get(), t.get(), MPFR_RNDN);
    if (degrees % 2 == 1) {
        add_angle(out, t, degrees);
    }
    mpfr_ui_sub(out.get(), 1, out.get(), MPFR_RNDN);
}

/// Whether the middle of two neighbours is below the quantile: more than 5% are outside of it.
bool middle_is_below(double low, double high, std::size_t degrees) {
    constexpr mpfr_prec_t bits = 256;
    MpfrNumber middle(bits);
    mpfr_set_d(middle.get(), low, MPFR_RNDN);
    mpfr_add_d(middle.get(), middle.get(), high, MPFR_RNDN);
    mpfr_div_2ui(middle.get(), middle.get(), 1, MPFR_RNDN);
    MpfrNumber outside(bits);
    set_outside(outside, middle, degrees);
    mpfr_mul_ui(outside.get(), outside.get(), 20, MPFR_RNDN);
    return mpfr_cmp_ui(outside.get(), 1) > 0;
}

double quantile95(std::size_t degrees) {
    const boost::math::students_t student(static_cast<double>(degrees));
    double t = boost::math::quantile(student, 0.975);  // or near it
    while (!middle_is_below(std::nextafter(t, 0), t, degrees)) {
        t = std::nextafter(t, 0);
    }
    while (middle_is_below(t, std::nextafter(t, infinity), degrees)) {
        t = std::nextafter(t, infinity);
    }
    return t;
}

}  // namespace

double student_t95(std::size_t degrees) {
    struct Known {
        std::size_t degrees = 0;
        double t = 0;
    };
    if (degrees == 0) {
        return 0;
    }
    thread_local Known last;  // the metrics of a summary mostly have the same
    if (degrees != last.degrees) {
        last = {degrees, quantile95(degrees)};
    }
    return last.t;
}

double student_p(double t, std::size_t degrees) {
    BERTH_ASSERT(degrees > 0 && !std::isnan(t), "a test has a t and degrees of freedom");
    // What is left of 1 loses as many bits as it has zeros at its head.
    constexpr mpfr_prec_t bits_last = 4096;
    constexpr mpfr_exp_t bits_needed = 128;
    const MpfrNumber size(std::abs(t));
    for (mpfr_prec_t bits = 256; bits <= bits_last; bits *= 2) {
        MpfrNumber outside(bits);
        set_outside(outside, size, degrees);
        if (mpfr_regular_p(outside.get()) != 0 &&
            mpfr_get_exp(outside.get()) + bits > bits_needed) {
            return mpfr_get_d(outside.get(), MPFR_RNDN);
        }
    }
    return 0;  // below the smallest double
}

}  // namespace berth::report
