#pragma once

#include "core/support/source.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Refuses what Slurm does not do in a run, and says of which jobs it does not know the queue.
void check_jobs_of_slurm(const ExperimentSpec& spec,
                         const core::SourceSpan& span,
                         core::Diagnostics& diagnostics);

}  // namespace berth::experiments
