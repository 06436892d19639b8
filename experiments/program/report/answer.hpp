#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// A number in the form of the page: {"metric", "title", "value", "interval", "unit"}.
[[nodiscard]] nlohmann::ordered_json number_json(const HeadlineNumber& number);

/// The beginning of a run's page: {"question", "window", "broken", "numbers", "intervals",
/// "takesTime", "payers", "limits", "warnings"}. `broken` has the claims that do not hold. A number
/// is {"metric", "title", "value", "interval", "unit"}, in a form for people.
[[nodiscard]] nlohmann::ordered_json run_answer(const RunDirectory& run);

/// The beginning of a page of several runs: for each run but the first, its headline numbers beside
/// those of the first, with the difference, and with the verdict if `comparison` (from
/// experiments/compare) has one.
[[nodiscard]] nlohmann::ordered_json comparison_answer(const std::vector<RunDirectory>& runs,
                                                       const nlohmann::ordered_json& comparison);

/// The beginning of a sweep's page: for each headline number that varies, the best point and its
/// distance to the next one; and the same for the values of each axis of names, averaged over the
/// other axes.
[[nodiscard]] nlohmann::ordered_json sweep_answer(const SweepDirectory& sweep);

/// {NAME: {"part", "unit", "meaning"}} for those of the metrics that are in meters.def.
[[nodiscard]] nlohmann::ordered_json definitions(const std::vector<std::string>& metrics);

}  // namespace berth::report
