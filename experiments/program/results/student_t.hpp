#pragma once

#include <cstddef>

namespace berth::report {

/// Student's t for a two-sided 95% interval; 0 for no degrees of freedom.
///
/// Both are the nearest double, the same with every C library.
/// Cost: O(degrees), some tens of microseconds for few; a thread keeps the last quantile.
[[nodiscard]] double student_t95(std::size_t degrees);
/// How likely chance alone is to bring a `t` that far from 0, or farther, either way.
[[nodiscard]] double student_p(double t, std::size_t degrees);

}  // namespace berth::report
