/// Preloaded before a program, this library answers like a C library whose functions have other
/// last bits, and exaggerates: where the standard leaves results open, a double is off by 2^-40, so
/// that it shows in times rounded to nanoseconds, and a long double by 2^-60, half of what berth
/// allows for.

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace {

/// Whether a value is raised rather than lowered: pseudo-random, but the same for equal values. 1
/// is raised.
bool goes_up(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    return ((bits * odd) >> 63) == 0;
}

double otherwise(double value) {
    return value * (goes_up(value) ? 1 + 0x1p-40 : 1 - 0x1p-40);
}

long double otherwise(long double value) {
    return value * (goes_up(static_cast<double>(value)) ? 1 + 0x1p-60L : 1 - 0x1p-60L);
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
