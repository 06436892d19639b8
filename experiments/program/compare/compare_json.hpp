#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// {"schema": "berth.compare/v1", ...}, docs/reference/compare.md; the page's comparison too.
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// A row for each run and metric, of the same figures.
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace berth::experiments
