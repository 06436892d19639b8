#pragma once

#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// The names of an experiment's metrics before it runs: those of a run without jobs. Metrics for
/// kinds of jobs, such as `job_wait_s_mean[team-a]`, are not included.
/// Cost: the preparation of a run up to its first event.
[[nodiscard]] std::vector<std::string> metric_names(const ExperimentSpec& spec);

/// Reports each metric of `expect` and `claims` that the experiment will not have, with the nearest
/// one that it has. The kinds of jobs in a trace are not known before the run, so with traces any
/// kind is accepted.
void check_metric_names(const ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
