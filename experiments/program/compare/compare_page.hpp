#pragma once

#include <filesystem>
#include <vector>

#include "experiments/program/compare/compare_runs.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::experiments {

/// The number of pods, and of groups, with the largest changes that the page names, unless the user
/// asks for another number.
inline constexpr std::size_t page_fates_max = 5'000;

/// The comparison as the page shows it: comparison_json() without equal metrics and without runs
/// that have no pair, and with the largest differences first. Each run has its `place` among the
/// runs of the page, where the baseline is 0.
/// Shape: `places` has one entry for each run of the comparison.
[[nodiscard]] report::Maybe<"Comparison"> comparison_page(const Comparison& comparison,
                                                          const std::vector<std::size_t>& places);

/// The comparison of two runs of a report, the second with the first; null if they have too few
/// seeds in common.
/// Errors: as compare_runs().
[[nodiscard]] report::Maybe<"Comparison"> comparison_of_two(const std::filesystem::path& first,
                                                            const std::filesystem::path& second);

}  // namespace berth::experiments
