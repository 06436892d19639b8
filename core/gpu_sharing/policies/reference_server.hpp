#pragma once

#include <algorithm>
#include <cstdint>

namespace berth::core {

/// The server against which the published policies hold every other, however large that is.
inline constexpr double reference_cpu_milli = 128'000;
inline constexpr double reference_gpu_milli = 8'000;

/// Whole points of a share, cut towards 0 as the published program does.
[[nodiscard]] inline std::int32_t points_of(double share) {
    constexpr double points_max = 100;
    constexpr double least = INT32_MIN;  // of amounts that no server has
    constexpr double most = INT32_MAX;
    return static_cast<std::int32_t>(std::clamp(share * points_max, least, most));
}

}  // namespace berth::core
