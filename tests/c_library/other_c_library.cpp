/// Preloaded before a program, answers as another C library could. Each function whose last bits
/// the standard leaves open gives a neighbour of the double it should give, and a long double that
/// is off by half of what berth allows for, which is more than in any known library.

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace {

bool goes_up(std::uint64_t bits) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    return ((bits * odd) >> 63) != 0;
}

double otherwise(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    constexpr std::uint64_t exponent = 0x7ff0000000000000;
    const std::uint64_t of_value = bits & exponent;
    if (of_value == 0 || of_value == exponent) {
        return value;  // 0, infinity and their like are right everywhere
    }
    bits += goes_up(bits) ? 1 : -std::uint64_t{1};
    std::memcpy(&value, &bits, sizeof bits);
    return value;
}

long double otherwise(long double value) {
    const auto about = static_cast<double>(value);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &about, sizeof bits);
    const bool less = (bits & 1) != 0;
    return value * (less ? 1 - 0x1p-60L : 1 + 0x1p-60L);
}

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define BERTH_OTHERWISE(name, Real)                               \
    extern "C" Real name(Real x) noexcept {                       \
        static const auto function = next<Real (*)(Real)>(#name); \
        return otherwise(function(x));                            \
    }
#define BERTH_OTHERWISE_OF_TWO(name, Real)                              \
    extern "C" Real name(Real x, Real y) noexcept {                     \
        static const auto function = next<Real (*)(Real, Real)>(#name); \
        return otherwise(function(x, y));                               \
    }
#define BERTH_OTHERWISE_BOTH(name) \
    BERTH_OTHERWISE(name, double)  \
    BERTH_OTHERWISE(name##l, long double)

BERTH_OTHERWISE_BOTH(acos)
BERTH_OTHERWISE_BOTH(asin)
BERTH_OTHERWISE_BOTH(atan)
BERTH_OTHERWISE_BOTH(cbrt)
BERTH_OTHERWISE_BOTH(cos)
BERTH_OTHERWISE_BOTH(erf)
BERTH_OTHERWISE_BOTH(erfc)
BERTH_OTHERWISE_BOTH(exp)
BERTH_OTHERWISE_BOTH(exp2)
BERTH_OTHERWISE_BOTH(expm1)
BERTH_OTHERWISE_BOTH(lgamma)
BERTH_OTHERWISE_BOTH(log)
BERTH_OTHERWISE_BOTH(log10)
BERTH_OTHERWISE_BOTH(log1p)
BERTH_OTHERWISE_BOTH(log2)
BERTH_OTHERWISE_BOTH(sin)
BERTH_OTHERWISE_BOTH(tan)
BERTH_OTHERWISE_BOTH(tanh)
BERTH_OTHERWISE_BOTH(tgamma)
BERTH_OTHERWISE_OF_TWO(atan2, double)
BERTH_OTHERWISE_OF_TWO(atan2l, long double)
BERTH_OTHERWISE_OF_TWO(hypot, double)
BERTH_OTHERWISE_OF_TWO(hypotl, long double)
BERTH_OTHERWISE_OF_TWO(pow, double)
BERTH_OTHERWISE_OF_TWO(powl, long double)
