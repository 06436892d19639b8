#pragma once

namespace berth::core {

/// Each function returns the double that is nearest to the real number, the even one of two that
/// are equally near: the same bits on every machine, whatever its C library answers. Signed zeros,
/// infinities and not-a-number go in and come out as C's functions of these names have them.
///
/// Cost: two to ten times that of the C library's double; some microseconds for the arguments, one
///       in thirty and of rounded_log1p() one in 500, whose result lies close to the middle between
///       two doubles.
/// Source: Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last
///         bit", 1991. GNU MPFR decides the hard cases.
[[nodiscard]] double rounded_exp(double x);
[[nodiscard]] double rounded_log(double x);
[[nodiscard]] double rounded_log1p(double x);
[[nodiscard]] double rounded_cos(double x);
[[nodiscard]] double rounded_pow(double x, double y);
/// Cost: some tens of microseconds.
[[nodiscard]] double rounded_gamma(double x);
/// The standard normal number below which the probability is `u`; not a number outside 0 to 1.
[[nodiscard]] double rounded_normal_quantile(double u);

}  // namespace berth::core
