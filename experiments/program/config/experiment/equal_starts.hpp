#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Warns where pods that run at the beginning may be preempted: a cluster takes who started last
/// first, and a run takes all of them as started at 0 s. `workload`: where the message points to.
void warn_of_equal_starts(const ExperimentSpec& spec,
                          const core::Value& workload,
                          core::Diagnostics& diagnostics);

}  // namespace berth::experiments
