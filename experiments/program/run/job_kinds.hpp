#pragma once

#include <string>
#include <vector>

#include "sim/measure/job_metrics.hpp"

namespace berth::experiments {

/// The most quotas, users or classes that have metrics of their own: those with the most jobs.
inline constexpr std::size_t kinds_shown_max = 20;

/// Adds the metrics of kinds of jobs to the metrics of their replications, with the kind in
/// brackets: `job_wait_s_p95[team-a]`. All replications get the same names in the same order. A
/// replication without jobs of a kind has no value there. A trait in which all jobs are alike adds
/// nothing.
///
/// Shape:   one entry of `kinds` for each replication.
/// Returns: a sentence for each trait with more labels than are shown.
[[nodiscard]] std::vector<std::string> add_job_kinds(
    const std::vector<std::vector<sim::JobKind>>& kinds,
    std::vector<std::vector<sim::Metric>>& replications);

}  // namespace berth::experiments
