#pragma once

#include <string>

#include "experiments/program/compare/compare_runs.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::experiments {

/// The comparison as {"schema": "berth.compare/v1", ...}: docs/reference/compare.md. The page uses
/// the same form.
[[nodiscard]] report::Is<"Comparison"> comparison_json(const Comparison& comparison);

/// The same figures as CSV, with a row for each run and metric.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace berth::experiments
