#pragma once

#include <algorithm>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// The part of a run that its metrics are about: jobs that are submitted in [from, to) count, and
/// averages over time are taken over [from, to], or to the end of the run if that comes earlier.
/// What happens is the same with and without a window, and files hold all of it.
struct Window {
    SimTime from{};
    SimTime to = never;

    [[nodiscard]] bool counts(SimTime submit) const { return from <= submit && submit < to; }
    /// How much of the time from `begin` to `end` is in the window.
    [[nodiscard]] SimTime part_of(SimTime begin, SimTime end) const {
        return std::max(std::min(end, to) - std::max(begin, from), SimTime(0));
    }
    /// How much of a run until `end` is in the window.
    [[nodiscard]] SimTime measured(SimTime end) const { return part_of(SimTime(0), end); }
};

}  // namespace berth::sim
