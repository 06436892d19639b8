#pragma once

/// The hard cases of rounded_math.hpp: correctly rounded for every argument, and slow.
namespace berth::core::exact {

[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x);
[[nodiscard]] double log1p(double x);
[[nodiscard]] double cos(double x);
[[nodiscard]] double pow(double x, double y);
[[nodiscard]] double gamma(double x);
/// `u` is above 0 and below one half.
[[nodiscard]] double normal_quantile(double u);
/// The same where the result is known to be one of two neighbouring doubles.
[[nodiscard]] double nearer_normal_quantile(double u, double low, double high);

}  // namespace berth::core::exact
