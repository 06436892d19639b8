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
/// largest differences first, and no run without a pair. Each run has its `place` among the runs of
/// the page, where the baseline is 0.
/// Shape: `places` has one for each run of the comparison.
[[nodiscard]] nlohmann::ordered_json comparison_page(const Comparison& comparison,
                                                     const std::vector<std::size_t>& places);

/// The same of two runs of a report, the second with the first; null where they have too few seeds
/// in common.
/// Errors: as compare_runs.
[[nodiscard]] nlohmann::ordered_json comparison_of_two(const std::filesystem::path& first,
                                                       const std::filesystem::path& second);

}  // namespace berth::experiments
