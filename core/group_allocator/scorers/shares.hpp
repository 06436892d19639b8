#pragma once

#include <limits>

#include "core/tree/ids.hpp"

namespace berth::core {

/// a + b, no more than an Amount holds: what exceeds it fits nowhere anyway.
[[nodiscard]] inline Amount saturated_sum(Amount a, Amount b) {
    Amount sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return a > 0 ? std::numeric_limits<Amount>::max() : std::numeric_limits<Amount>::min();
    }
    return sum;
}

/// used / allocatable, evaluated as the published program does, for the last bit decides ties.
[[nodiscard]] inline double used_share(Amount allocatable, Amount left) {
    return allocatable != 0 ? 1.0 - static_cast<double>(left) / static_cast<double>(allocatable)
                            : 0.0;
}

}  // namespace berth::core
