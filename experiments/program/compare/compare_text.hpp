#pragma once

#include <string>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// For a terminal: per run the metrics that differ beyond chance, with `all` every one, and the
/// fates that changed most.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all);

/// A comparison of a sweep's points with one of them: a table a metric, with a row a point. Without
/// `all`, metrics in which no point is shown to differ are only named.
[[nodiscard]] std::string points_text(const Comparison& comparison, bool all);

}  // namespace berth::experiments
