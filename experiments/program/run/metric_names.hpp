#pragma once

#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// The names of an experiment's metrics, before it runs: those of a run to which no job comes.
/// Metrics of kinds of jobs, such as `job_wait_s_mean[team-a]`, are not among them.
/// Cost: what a run needs before its first event.
[[nodiscard]] std::vector<std::string> metric_names(const ExperimentSpec& spec);

/// Reports each metric of `expect` and `claims` that the experiment will not have, with the nearest
/// one that it has. Of a workload with traces nobody knows the kinds of jobs before it runs, so
/// that any kind passes.
void check_metric_names(const ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
