#pragma once

namespace berth::experiments {

/// Ten digits: what every compiler and mathematical library agrees on.
[[nodiscard]] double significant(double value);

}  // namespace berth::experiments
