#pragma once

#include <string>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// The comparison for a terminal: for each run, the metrics that differ beyond chance (with `all`,
/// every metric), and the fates that changed most.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all);

/// The comparison of a sweep's points with one of them: a table for each metric, with a row for
/// each point. Without `all`, metrics in which no point differs beyond chance are only named.
[[nodiscard]] std::string points_text(const Comparison& comparison, bool all);

}  // namespace berth::experiments
