#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// A number as the page shows it: {"metric", "title", "value", "interval", "unit"}.
[[nodiscard]] nlohmann::ordered_json number_json(const HeadlineNumber& number);

/// What the page of a run begins with: {"question", "window", "broken", "numbers", "intervals",
/// "takesTime", "payers", "limits", "warnings"}; `broken` has the claims that do not hold. A
/// number is {"metric", "title", "value", "interval", "unit"}, ready to be read.
[[nodiscard]] nlohmann::ordered_json run_answer(const RunDirectory& run);

/// What the page of several runs begins with: for each run but the first, its headline numbers
/// beside those of the first, with the difference and the verdict where `comparison` (of
/// experiments/compare) has one.
[[nodiscard]] nlohmann::ordered_json comparison_answer(const std::vector<RunDirectory>& runs,
                                                       const nlohmann::ordered_json& comparison);

/// What the page of a sweep begins with: of each headline number that varies, the best point and
/// how far the next one is from it; and the same of the values of each axis of names, averaged over
/// the other axes.
[[nodiscard]] nlohmann::ordered_json sweep_answer(const SweepDirectory& sweep);

/// {NAME: {"part", "unit", "meaning"}} of those metrics that meters.def tells of.
[[nodiscard]] nlohmann::ordered_json definitions(const std::vector<std::string>& metrics);

}  // namespace berth::report
