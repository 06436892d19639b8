#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/program/forecast/past.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// How many jobs wait from some instant on.
struct WaitingCount {
    sim::SimTime from{};
    std::int64_t jobs = 0;
};

/// How many jobs wait, in order of time; before the first entry, none does.
/// Cost: O(n log n) for n jobs and places.
[[nodiscard]] std::vector<WaitingCount> waiting_counts(const Past& past);

/// Moments with at least five waiting jobs, drawn evenly in time: between the first 8 % of the past
/// and `until`, and not before some job has ended. There may be fewer than `count`, or none.
/// Cost: that of waiting_counts(), and O(log n) for each draw.
[[nodiscard]] std::vector<sim::SimTime> draw_moments(const Past& past,
                                                     sim::SimTime until,
                                                     std::size_t count,
                                                     std::uint64_t seed);

}  // namespace berth::experiments
