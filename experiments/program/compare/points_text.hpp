#pragma once

#include <string>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// A comparison of a sweep's points with one of them as text: a table a metric, with a row a point.
/// Without `all`, metrics in which no point is shown to differ are only named.
[[nodiscard]] std::string points_text(const Comparison& comparison, bool all);

}  // namespace berth::experiments
