#pragma once

#include <nlohmann/json.hpp>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Who pays for the waits: [{"by", "rows", "leftOut"}] for each of quotas, users, classes and sizes
/// of jobs whose mean waits differ by more than half. A row is {"name", "metric", "mean", "tail"}
/// with texts ready to be read; `leftOut` counts those that wait less than the rows.
[[nodiscard]] nlohmann::ordered_json who_pays(const RunDirectory& run);

}  // namespace berth::report
