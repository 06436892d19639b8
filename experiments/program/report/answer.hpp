#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// A number in the form in which it is quoted.
[[nodiscard]] Is<"QuotedNumber"> number_json(const HeadlineNumber& number);

/// The beginning of a run's page. `broken` has the claims that do not hold.
[[nodiscard]] Is<"RunAnswer"> run_answer(const RunDirectory& run);

/// The beginning of a page of several runs: for each run but the first, its headline numbers beside
/// those of the first, with the difference, and with the verdict if `comparison` (from
/// experiments/compare) has one.
[[nodiscard]] std::vector<Is<"RunVerdict">> comparison_answer(
    const std::vector<RunDirectory>& runs, const nlohmann::ordered_json& comparison);

/// The beginning of a sweep's page: for each headline number that varies, the best point and its
/// distance to the next one; and the same for the values of each axis of names, averaged over the
/// other axes.
[[nodiscard]] Is<"SweepAnswer"> sweep_answer(const SweepDirectory& sweep);

/// What those of the metrics mean that are in meters.def.
[[nodiscard]] Is<"Record<string, Definition>"> definitions(const std::vector<std::string>& metrics);

}  // namespace berth::report
