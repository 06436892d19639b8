/// The right result is found with 320 bits of MPFR and exact middles between doubles, in another
/// range of exponents and without MPFR's own rounding to 53 bits. A smaller sample is checked with
/// Boost's numbers, which share no code with MPFR.

#include "core/support/rounded_math.hpp"

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <thread>
#include <vector>

#include "core/support/double_double.hpp"
#include "core/support/exact_math.hpp"
#include "core/support/rounded_by.hpp"

using namespace berth;

namespace {

using Long = long double;
using Bits = boost::random::mt19937_64;
using Limits = std::numeric_limits<double>;
constexpr double infinity = Limits::infinity();

int samples(int few) {
    constexpr int longer = 30;
    return std::getenv("BERTH_LONG") != nullptr ? longer * few : few;
}

/// A number of 320 bits. While one exists, MPFR has its widest range of exponents.
class Wide {
public:
    explicit Wide(double value = 0) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
        mpfr_set_emin(mpfr_get_emin_min());
        mpfr_set_emax(mpfr_get_emax_max());
        mpfr_init2(number_, 320);
        mpfr_set_d(number_, value, MPFR_RNDN);
    }
    ~Wide() {
        mpfr_clear(number_);
        mpfr_set_emin(emin_);
        mpfr_set_emax(emax_);
    }
    Wide(const Wide&) = delete;
    Wide& operator=(const Wide&) = delete;

    mpfr_ptr get() { return number_; }

private:
    mpfr_exp_t emin_;
    mpfr_exp_t emax_;
    mpfr_t number_{};
};

/// The middle between a double and its next neighbour away from 0; the largest double's neighbour
/// is 2^1024.
void set_middle(Wide& out, double near, double far) {
    if (std::isinf(far)) {
        mpfr_set_ui_2exp(out.get(), 1, Limits::max_exponent, MPFR_RNDN);
        mpfr_setsign(out.get(), out.get(), std::signbit(far) ? 1 : 0, MPFR_RNDN);
    } else {
        mpfr_set_d(out.get(), far, MPFR_RNDN);
    }
    mpfr_add_d(out.get(), out.get(), near, MPFR_RNDN);
    mpfr_div_2ui(out.get(), out.get(), 1, MPFR_RNDN);
}

/// Whether no double is nearer to `number`, and `found` is the even one of two that are equally
/// near.
bool is_nearest(double found, mpfr_srcptr number) {
    if (std::isnan(found) || mpfr_nan_p(number) != 0) {
        return std::isnan(found) && mpfr_nan_p(number) != 0;
    }
    if (std::isinf(found) && mpfr_inf_p(number) != 0) {
        return std::signbit(found) == (mpfr_signbit(number) != 0);
    }
    const double out = std::signbit(found) ? -infinity : infinity;
    const double in = -out;
    const bool even = std::bit_cast<std::uint64_t>(found) % 2 == 0;
    const int sign = std::signbit(found) ? -1 : 1;
    Wide middle;
    if (!std::isinf(found)) {
        set_middle(middle, found, std::nextafter(found, out));
        const int beyond = sign * mpfr_cmp(number, middle.get());
        if (beyond > 0 || (beyond == 0 && !even)) {
            return false;
        }
    }
    if (found == 0) {
        set_middle(middle, 0, std::nextafter(0, in));
    } else {
        set_middle(middle, std::nextafter(found, in), found);
    }
    const int short_of = sign * mpfr_cmp(number, middle.get());
    return short_of > 0 || (short_of == 0 && even);
}

using Mpfr = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);

bool is_right(double found, Mpfr function, double x) {
    Wide number(x);
    function(number.get(), number.get(), MPFR_RNDN);
    return is_nearest(found, number.get());
}

bool power_is_right(double x, double y) {
    Wide number(x);
    Wide exponent(y);
    const double found = core::rounded_pow(x, y);
    CAPTURE(x, y, found);
    mpfr_pow(number.get(), number.get(), exponent.get(), MPFR_RNDN);
    return is_nearest(found, number.get());
}

/// Whether `z` is the double nearest to the normal quantile of `u` below a half: the probabilities
/// of the middles on both sides of it are below and above `u`.
bool quantile_is_right(double z, double u) {
    const auto above_u = [&](double near, double far) {
        Wide middle;
        set_middle(middle, near, far);
        Wide half(0.5);
        mpfr_sqrt(half.get(), half.get(), MPFR_RNDN);
        mpfr_mul(middle.get(), middle.get(), half.get(), MPFR_RNDN);
        mpfr_neg(middle.get(), middle.get(), MPFR_RNDN);
        mpfr_erfc(middle.get(), middle.get(), MPFR_RNDN);
        mpfr_div_2ui(middle.get(), middle.get(), 1, MPFR_RNDN);
        return mpfr_cmp_d(middle.get(), u) > 0;
    };
    return !above_u(std::nextafter(z, -infinity), z) && above_u(z, std::nextafter(z, infinity));
}

double unit(Bits& bits) {
    return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}
double between(Bits& bits, double low, double high) {
    return low + (high - low) * unit(bits);
}
/// A double of any size, also below the smallest normal one.
double any(Bits& bits) {
    double x = infinity;
    while (!std::isfinite(x)) {
        x = std::bit_cast<double>(bits());
    }
    return x;
}
double any_positive(Bits& bits) {
    return std::abs(any(bits));
}
/// A number below 1 that has each size down to 2^-60 about equally often.
double small(Bits& bits) {
    return std::ldexp(unit(bits), -static_cast<int>(bits() % 60));
}

/// A function of one number, with arguments such as draws have and others from its whole range.
struct Function {
    const char* name;
    double (*rounded)(double);
    Mpfr mpfr;
    std::array<double (*)(Bits&), 4> arguments;
};

const std::array functions{
    Function{"exp",
             core::rounded_exp,
             mpfr_exp,
             {[](Bits& b) { return between(b, -20, 20); },
              [](Bits& b) { return between(b, -746, 711); },
              [](Bits& b) { return -small(b); },
              any}},
    Function{"log",
             core::rounded_log,
             mpfr_log,
             {[](Bits& b) { return between(b, 0, 1e6); },
              [](Bits& b) { return 1 + small(b); },
              [](Bits& b) { return 1 - small(b) / 2; },
              any_positive}},
    Function{"log1p",
             core::rounded_log1p,
             mpfr_log1p,
             {[](Bits& b) { return -unit(b); },
              [](Bits& b) { return small(b); },
              [](Bits& b) { return -1 + small(b); },
              any_positive}},
    Function{"cos",
             core::rounded_cos,
             mpfr_cos,
             {[](Bits& b) { return 2 * std::numbers::pi * unit(b); },
              [](Bits& b) { return std::numbers::pi / 2 + small(b); },
              [](Bits& b) { return between(b, -1e5, 1e5); },
              any}},
};

/// Long doubles that are off by `Parts` sixteenths of the error that they may have.
template <int Parts>
struct Off {
    static constexpr Long error = core::RoundedBy<Off>::error_max * Parts / 16;
    static Long exp(Long x) { return std::exp(x) * (1 + error); }
    static Long log(Long x) { return std::log(x) * (1 + error); }
    static Long log1p(Long x) { return std::log1p(x) * (1 + error); }
    static Long cos(Long x) { return std::cos(x) + error; }
    static Long normal_quantile(Long u) {
        return -std::numbers::sqrt2_v<Long> * boost::math::erfc_inv(2 * u) * (1 + error);
    }
};

/// No long doubles, so every argument is computed the hard way.
struct Missing {
    static constexpr Long none = std::numeric_limits<Long>::quiet_NaN();
    static Long exp(Long) { return none; }
    static Long log(Long) { return none; }
    static Long log1p(Long) { return none; }
    static Long cos(Long) { return none; }
    static Long normal_quantile(Long) { return none; }
};

/// How often the functions of this library differ from the right result.
template <class Library>
int differences(Bits& bits, int count) {
    using By = core::RoundedBy<Library>;
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        const double u = unit(bits);
        const double x = between(bits, -30, 30);
        wrong += By::exp(x) == core::exact::exp(x) ? 0 : 1;
        wrong += By::log(u) == core::exact::log(u) ? 0 : 1;
        wrong += By::log1p(-u) == core::exact::log1p(-u) ? 0 : 1;
        wrong += By::cos(x) == core::exact::cos(x) ? 0 : 1;
        wrong += By::pow(u, x) == core::exact::pow(u, x) ? 0 : 1;
        if (i % 20 == 0) {
            wrong += By::normal_quantile(u / 2) == core::exact::normal_quantile(u / 2) ? 0 : 1;
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("rounded math: functions of one number give the nearest double", "[core][rounded]") {
    for (const Function& function : functions) {
        CAPTURE(function.name);
        Bits bits(1);
        for (const auto argument : function.arguments) {
            for (int i = 0; i < samples(20'000); ++i) {
                const double x = argument(bits);
                if (!is_right(function.rounded(x), function.mpfr, x)) {
                    CAPTURE(i, x, function.rounded(x));
                    FAIL("not the nearest double");
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("rounded math: powers are the nearest double", "[core][rounded]") {
    Bits bits(2);
    for (int i = 0; i < samples(20'000); ++i) {
        const double exponential = -core::rounded_log1p(-unit(bits));
        const double inverse_shape = 1 / between(bits, 0.1, 10);
        REQUIRE(power_is_right(exponential, inverse_shape));
        REQUIRE(power_is_right(1 - unit(bits), -inverse_shape));
        REQUIRE(power_is_right(any_positive(bits), between(bits, -2, 2)));
        REQUIRE(power_is_right(1 + small(bits), between(bits, -1e4, 1e4)));
        REQUIRE(power_is_right(any_positive(bits), any(bits)));
    }
}

TEST_CASE("rounded math: normal quantiles are the nearest double", "[core][rounded]") {
    Bits bits(3);
    for (int i = 0; i < samples(3'000); ++i) {
        for (const double u : {unit(bits) / 2, small(bits) / 2, 0.5 - unit(bits) / 1024}) {
            CAPTURE(u);
            REQUIRE(quantile_is_right(core::rounded_normal_quantile(u), u));
            REQUIRE(core::rounded_normal_quantile(1 - u) ==
                    -core::rounded_normal_quantile(1 - (1 - u)));
        }
    }
    for (const double u : {Limits::denorm_min(), Limits::min(), 1e-300, std::nextafter(0.5, 0)}) {
        CAPTURE(u);
        CHECK(quantile_is_right(core::rounded_normal_quantile(u), u));
    }
    CHECK(core::rounded_normal_quantile(0.5) == 0);
    CHECK(core::rounded_normal_quantile(0) == -infinity);
    CHECK(core::rounded_normal_quantile(1) == infinity);
    CHECK(std::isnan(core::rounded_normal_quantile(-0.1)));
    CHECK(std::isnan(core::rounded_normal_quantile(1.1)));
    CHECK(std::isnan(core::rounded_normal_quantile(Limits::quiet_NaN())));
}

TEST_CASE("rounded math: the gamma function is the nearest double", "[core][rounded]") {
    Bits bits(4);
    for (int i = 0; i < samples(500); ++i) {
        for (const double x : {1 + small(bits), between(bits, 1, 20), between(bits, 1, 172)}) {
            CAPTURE(x);
            REQUIRE(is_right(core::rounded_gamma(x), mpfr_gamma, x));
        }
    }
    CHECK(core::rounded_gamma(5) == 24);
}

TEST_CASE("rounded math: ends of ranges, and what is no number", "[core][rounded]") {
    const double nan = Limits::quiet_NaN();
    const double least = Limits::denorm_min();
    const std::array arguments{0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               least,
                               -least,
                               1e-310,
                               Limits::min(),
                               Limits::max(),
                               -2.0,
                               Limits::lowest(),
                               infinity,
                               -infinity,
                               nan,
                               std::nextafter(1.0, 0.0),
                               1e22,
                               std::nextafter(-1.0, 0.0),
                               709.782712893384,
                               709.7827128933841,
                               -745.1332191019412,
                               -744.4400719213812,
                               -708.3964185322641,
                               std::nextafter(1.0, 2.0)};
    for (const Function& function : functions) {
        for (const double x : arguments) {
            CAPTURE(function.name, x, function.rounded(x));
            CHECK(is_right(function.rounded(x), function.mpfr, x));
        }
    }
    for (const double x : arguments) {
        for (const double y : arguments) {
            CAPTURE(x, y, core::rounded_pow(x, y));
            CHECK(power_is_right(x, y));
        }
    }
    CHECK(std::signbit(core::rounded_log1p(-0.0)));
    CHECK_FALSE(std::signbit(core::rounded_log(1)));
    CHECK(core::rounded_exp(-745.13) == least);
    CHECK(core::rounded_exp(-746) == 0);
    CHECK(core::rounded_log(0) == -infinity);
}

TEST_CASE("rounded math: results that are doubles, or the middle of two", "[core][rounded]") {
    CHECK(core::rounded_exp(0) == 1);
    CHECK(core::rounded_log1p(0) == 0);
    CHECK(core::rounded_cos(0) == 1);
    CHECK(core::rounded_pow(2, 3) == 8);
    CHECK(core::rounded_pow(2, -1074) == Limits::denorm_min());
    CHECK(core::rounded_pow(2, -1075) == 0);  // the middle between 0 and denorm_min
    CHECK(core::rounded_pow(-2, 3) == -8);
    CHECK(core::rounded_pow(2.25, 1.5) == 3.375);
    // Odd numbers whose powers have 54 bits: each is the middle of two doubles.
    for (double odd = 0x1p27 - 1; odd > 0x1p27 - 2000; odd -= 2) {
        REQUIRE(power_is_right(odd, 2));
    }
    for (double odd = 0x1p18 - 1; odd > 0x1p18 - 2000; odd -= 2) {
        REQUIRE(power_is_right(odd, 3));
        REQUIRE(power_is_right(odd * odd, 1.5));
    }
}

TEST_CASE("rounded math: long doubles may be off as far as is said", "[core][rounded]") {
    Bits bits(5);
    CHECK(differences<Missing>(bits, samples(1'000)) == 0);
    if (std::numeric_limits<Long>::digits < 64) {
        return;
    }
    CHECK(differences<Off<16>>(bits, samples(20'000)) == 0);
    CHECK(differences<Off<-16>>(bits, samples(20'000)) == 0);
    CHECK(differences<Off<7>>(bits, samples(20'000)) == 0);
    CHECK(differences<Off<-1>>(bits, samples(20'000)) == 0);
    // They may not be off by more: the check notices a larger error.
    CHECK(differences<Off<16 * 64>>(bits, samples(20'000)) > 0);
}

TEST_CASE("rounded math: Boost's numbers of 256 bits round to the same", "[core][rounded]") {
    namespace mp = boost::multiprecision;
    using Wide256 = mp::number<mp::cpp_bin_float<256, mp::digit_base_2>>;
    Bits bits(6);
    for (int i = 0; i < samples(200); ++i) {
        const double u = unit(bits);
        const double x = between(bits, -30, 30);
        CAPTURE(u, x);
        CHECK(core::rounded_exp(x) == static_cast<double>(mp::exp(Wide256(x))));
        CHECK(core::rounded_log(u) == static_cast<double>(mp::log(Wide256(u))));
        CHECK(core::rounded_log1p(-u) == static_cast<double>(mp::log(1 - Wide256(u))));
        CHECK(core::rounded_cos(x) == static_cast<double>(mp::cos(Wide256(x))));
        CHECK(core::rounded_pow(u, x) == static_cast<double>(mp::pow(Wide256(u), Wide256(x))));
    }
}

TEST_CASE("rounded math: threads give the same", "[core][rounded]") {
    constexpr int count = 20'000;
    const auto sum = [](std::uint64_t& out) {
        Bits bits(7);
        for (int i = 0; i < count; ++i) {
            out = 31 * out + std::bit_cast<std::uint64_t>(core::rounded_log(unit(bits)));
        }
    };
    std::array<std::uint64_t, 4> sums{};
    std::vector<std::thread> threads;
    for (std::uint64_t& out : sums) {
        threads.emplace_back(sum, std::ref(out));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(std::ranges::count(sums, sums.front()) == 4);
}

TEST_CASE("rounded math: a logarithm in two doubles is as near as it says", "[core][rounded]") {
    Bits bits(8);
    double most = 0;
    const auto look = [&](double x) {
        if (!(x > -1 && x <= 1) || std::abs(x) < 0x1p-500) {
            return;
        }
        const core::DoubleDouble value = core::double_double_log1p(x);
        CAPTURE(x, value.high, value.low);
        REQUIRE(value.high + value.low == value.high);
        Wide exact(x);
        mpfr_log1p(exact.get(), exact.get(), MPFR_RNDN);
        Wide found(value.high);
        mpfr_add_d(found.get(), found.get(), value.low, MPFR_RNDN);
        mpfr_sub(found.get(), found.get(), exact.get(), MPFR_RNDN);
        mpfr_div(found.get(), found.get(), exact.get(), MPFR_RNDN);
        most = std::max(most, std::abs(mpfr_get_d(found.get(), MPFR_RNDN)));
    };
    for (int i = 0; i < samples(50'000); ++i) {
        look(-unit(bits));
        look(unit(bits));
        look(small(bits));
        look(-small(bits));
        look(-1 + small(bits));
    }
    // Arguments beside the ends of the table's intervals, and beside those of the intervals that
    // need no reciprocal.
    for (double end = -0x1p0 + 0x1p-8; end < 1; end += 0x1p-8) {
        for (const double x : {std::nextafter(end, -2.0), end, std::nextafter(end, 2.0)}) {
            look(x);
        }
    }
    CHECK(most < core::log1p_error_max / 4);
    CHECK(most > core::log1p_error_max / 1024);  // what is measured is an error, not nothing
}
