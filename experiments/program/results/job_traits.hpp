#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// For each name in brackets behind metrics of jobs, such as `job_wait_s_mean[team-a]`, whether it
/// is a `quota`, a `user`, a `class` or a `size`, according to the rows of jobs.csv.
///
/// Cost: reads the rows up to the first one with the last of these names.
[[nodiscard]] std::map<std::string, std::string, std::less<>> read_job_traits(
    const std::filesystem::path& jobs, const std::vector<MetricSummary>& metrics);

}  // namespace berth::report
