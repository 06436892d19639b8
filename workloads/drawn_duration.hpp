#pragma once

#include <cmath>
#include <cstdint>

#include "sim/clock/time.hpp"

namespace berth::workloads {

/// Seconds to the nearest nanosecond, within what SimTime holds from `now` on.
[[nodiscard]] inline sim::SimTime drawn_duration(double seconds, sim::SimTime now) {
    constexpr double nanoseconds = 1e9;
    const double rounded = std::round(seconds * nanoseconds);
    const sim::SimTime room = sim::never - now;
    if (!(rounded < static_cast<double>(room.count()))) {
        return room;
    }
    return sim::SimTime(static_cast<std::int64_t>(rounded));
}

}  // namespace berth::workloads
