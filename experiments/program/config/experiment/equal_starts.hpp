#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Warns if pods that run at the beginning may be preempted: a cluster preempts those that started
/// last first, but in a run all of them start at 0 s. `workload`: the place for the message.
void warn_of_equal_starts(const ExperimentSpec& spec,
                          const core::Value& workload,
                          core::Diagnostics& diagnostics);

}  // namespace berth::experiments
