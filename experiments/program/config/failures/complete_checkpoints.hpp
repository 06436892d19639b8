#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Whether `failures` has causes that come at random: a checkpoint may then be `optimal`.
[[nodiscard]] bool has_random_failures(const core::Value* failures);

/// Puts in the intervals of checkpoints that are `optimal`, and notes whether there are any
/// checkpoints. The workload and the failures of `spec` have been read.
void complete_checkpoints(ExperimentSpec& spec);

}  // namespace berth::experiments
