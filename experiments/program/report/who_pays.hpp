#pragma once

#include <nlohmann/json.hpp>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// The groups that wait longest: [{"by", "rows", "leftOut"}] for each of quotas, users, classes and
/// sizes of jobs whose mean waits differ by more than half. A row is {"name", "metric", "mean",
/// "tail"}, with texts for people; `leftOut` counts the groups that wait less than those in the
/// rows.
[[nodiscard]] nlohmann::ordered_json who_pays(const RunDirectory& run);

}  // namespace berth::report
