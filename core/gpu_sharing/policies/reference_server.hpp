#pragma once

namespace berth::core {

/// The server against which the published policies hold every other, however large that is.
inline constexpr double reference_cpu_milli = 128'000;
inline constexpr double reference_gpu_milli = 8'000;

}  // namespace berth::core
