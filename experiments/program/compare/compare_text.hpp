#pragma once

#include <string>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// For a terminal: per run the metrics that differ beyond chance, with `all` every one, and the
/// fates that changed most.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all);

/// One row a run and metric.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace berth::experiments
