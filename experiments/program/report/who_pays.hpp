#pragma once

#include <vector>

#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// The groups that wait longest, for each of quotas, users, classes and sizes of jobs whose mean
/// waits differ by more than half, with texts for people; `leftOut` counts the groups that wait
/// less than those in the rows.
[[nodiscard]] std::vector<Is<"Payers">> who_pays(const RunDirectory& run);

}  // namespace berth::report
