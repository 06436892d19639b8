#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/program/compare/compare_runs.hpp"

namespace berth::experiments {

/// How many pods, and groups, the page names of those whose fate changed most, unless a person
/// asks for another number.
inline constexpr std::size_t page_fates_max = 5'000;

/// What the page shows of a comparison: comparison_json without the metrics that are equal, the
/// largest differences first, and no run with fewer than two pairs. Each run has its `place` among
/// the runs of the page, where the baseline is 0.
/// Shape: `places` has one for each run of the comparison.
[[nodiscard]] nlohmann::ordered_json comparison_page(const Comparison& comparison,
                                                     const std::vector<std::size_t>& places);

/// The same of the runs of a report: each with the first, as far as they have common seeds; null
/// where nothing can be compared.
/// Errors: as compare_runs.
[[nodiscard]] nlohmann::ordered_json comparison_of_runs(
    const std::vector<std::filesystem::path>& directories);

}  // namespace berth::experiments
