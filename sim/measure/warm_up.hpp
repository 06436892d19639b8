#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/measure/load_history.hpp"

namespace berth::sim {

/// Averages the histories of all replications, slice by slice, up to the earliest of their last
/// arrivals.
[[nodiscard]] LoadHistory average(std::span<const LoadHistory> replications);

/// With fewer slices than this, a history says too little about where a warm-up ends.
inline constexpr std::size_t slices_min = 100;

/// Where the warm-up of a run ends: before that, the cluster is emptier, or fuller, than it is
/// later on. This is MSER-5 on the number of pods that run or wait: from the means of five slices
/// each, it leaves out as many of the first, up to half of them, as minimize the squared standard
/// error of the mean of the rest.
///
/// Returns: nothing if the history is too short, or would lose half of its slices: then it never
///          becomes stationary.
/// Source: White, Cobb, Spratt: "A Comparison of Five Steady-State Truncation Heuristics for
///         Simulation" (Winter Simulation Conference 2000).
[[nodiscard]] std::optional<SimTime> end_of_warm_up(const LoadHistory& history);

/// The mean of the slices that begin in [from, to).
[[nodiscard]] Load mean_load(const LoadHistory& history, SimTime from, SimTime to = never);

}  // namespace berth::sim
