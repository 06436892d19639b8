#pragma once

namespace berth::core {

/// Each function returns the double that is nearest to the real number, or the even one of two that
/// are equally near. The bits are the same on every machine, whatever its C library answers. Signed
/// zeros, infinities and not-a-number are treated as by the C functions of these names.
///
/// Cost:   two to ten times that of the C library's double. It is some microseconds for arguments
///         whose result lies close to the middle between two doubles: one in 30, and one in 500 for
///         rounded_log1p().
/// Source: Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last
///         bit", 1991. GNU MPFR decides the hard cases.
[[nodiscard]] double rounded_exp(double x);
[[nodiscard]] double rounded_log(double x);
[[nodiscard]] double rounded_log1p(double x);
[[nodiscard]] double rounded_cos(double x);
[[nodiscard]] double rounded_pow(double x, double y);
/// Cost: some tens of microseconds.
[[nodiscard]] double rounded_gamma(double x);
/// The number below which a standard normally distributed number lies with probability `u`;
/// not-a-number if `u` is outside 0 to 1.
[[nodiscard]] double rounded_normal_quantile(double u);

}  // namespace berth::core
