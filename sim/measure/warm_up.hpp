#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/measure/load_history.hpp"

namespace berth::sim {

/// The histories of all replications as one: means over them, slice by slice, until the last
/// arrival of the replication in which that is earliest.
[[nodiscard]] LoadHistory average(std::span<const LoadHistory> replications);

/// Fewer slices than this say too little about where a warm-up ends.
inline constexpr std::size_t slices_min = 100;

/// Where the warm-up of a run ends: before that, the cluster is emptier, or fuller, than it is
/// later on. MSER-5 of the pods that run or wait: of the means of five slices each, as many first
/// ones, up to their half, are left out as make the squared standard error of the mean of the
/// others smallest.
///
/// Returns: nothing when the history is too short, or would lose its half: then it never becomes
///          stationary.
/// Source: White, Cobb, Spratt: "A Comparison of Five Steady-State Truncation Heuristics for
///         Simulation" (Winter Simulation Conference 2000).
[[nodiscard]] std::optional<SimTime> end_of_warm_up(const LoadHistory& history);

/// The mean of the slices that begin in [from, to).
[[nodiscard]] Load mean_load(const LoadHistory& history, SimTime from, SimTime to = never);

}  // namespace berth::sim
