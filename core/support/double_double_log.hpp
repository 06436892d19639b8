#pragma once

#include "core/support/double_double.hpp"

namespace berth::core {

/// log(1 + x) for -1 < x <= 1, where x is not smaller than 2^-500, with a relative error of at most
/// `log1p_error_max`.
///
/// Cost:   some 60 operations of doubles; a table of 2 KB is made for the first of a process.
/// Source: Tang, "Table-driven implementation of the logarithm function in IEEE floating-point
///         arithmetic", 1990, in two doubles.
[[nodiscard]] DoubleDouble double_double_log1p(double x);

inline constexpr double log1p_error_max = 0x1p-63;

}  // namespace berth::core
