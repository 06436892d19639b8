#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/clock/time.hpp"

namespace berth::workloads {

/// How much is in use over time, as a staircase of a few thousand steps: starts and ends may be
/// given in any order, and the steps get wider as the time gets longer.
///
/// Cost: O(log steps) an entry, and memory for 4096 steps.
class DemandCurve {
public:
    /// From `at` on, so much more is in use or, if negative, less.
    void add(sim::SimTime at, double amount);

    /// The time from the first entry until the level first reaches the median that it has over the
    /// time up to `end`. Nothing while there is nothing to see.
    [[nodiscard]] std::optional<sim::SimTime> warm_up(sim::SimTime end) const;

private:
    [[nodiscard]] std::int64_t step_of(sim::SimTime at) const;
    void widen();

    sim::SimTime width_{1'000'000'000};
    std::map<std::int64_t, double> changes_;  ///< By step: all that happen in it, together.
};

}  // namespace berth::workloads
