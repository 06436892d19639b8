#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/compare/compare_runs.hpp"

namespace berth::experiments {

/// What the page shows of a comparison: comparison_json without the metrics that are equal, of each
/// run the 200 metrics that differ most, and no run with fewer than two pairs.
[[nodiscard]] nlohmann::ordered_json comparison_page(const Comparison& comparison);

/// The same of the runs of a report: each with the first, as far as they have common seeds; null
/// where nothing can be compared.
/// Errors: as compare_runs.
[[nodiscard]] nlohmann::ordered_json comparison_of_runs(
    const std::vector<std::filesystem::path>& directories);

}  // namespace berth::experiments
