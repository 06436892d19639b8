#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Refuses what rounds cannot run, and jobs and rows of a recorded schedule that do not fit each
/// other; warns of what has no effect.
/// Errors: at `span`, or at the row of the schedule.
/// Cost:   reads the traces of the workload once.
void check_jobs_of_rounds(const ExperimentSpec& spec,
                          const core::SourceSpan& span,
                          core::Diagnostics& diagnostics);

}  // namespace berth::experiments
