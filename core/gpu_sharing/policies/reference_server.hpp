#pragma once

#include <algorithm>
#include <cstdint>

namespace berth::core {

/// The server that the published policies measure every other server against, however large that
/// is.
inline constexpr double reference_cpu_milli = 128'000;
inline constexpr double reference_gpu_milli = 8'000;

/// A share in whole points, cut towards 0 as in the published program.
[[nodiscard]] inline std::int32_t points_of(double share) {
    constexpr double points_max = 100;
    constexpr double least = INT32_MIN;  // amounts that no server has lie beyond this
    constexpr double most = INT32_MAX;
    return static_cast<std::int32_t>(std::clamp(share * points_max, least, most));
}

}  // namespace berth::core
