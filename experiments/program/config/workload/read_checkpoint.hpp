#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/checkpoint.hpp"

namespace berth::experiments {

/// The key for checkpoints in a type and in a job.
inline constexpr const char* checkpoint_key = "checkpoint";

/// Reads `{every: 1h, takes: 2m, restart: 10m}`. `every: optimal` is read as 0, and is an error if
/// there are no random failures.
[[nodiscard]] sim::Checkpoint read_checkpoint(const core::Value& value,
                                              bool random_failures,
                                              core::Diagnostics& diagnostics);

/// Whether `failures` has causes that occur at random: a checkpoint may then be `optimal`.
[[nodiscard]] bool has_random_failures(const core::Value* failures);

/// Sets the intervals of `optimal` checkpoints, and notes whether there are any checkpoints. The
/// workload and the failures of `spec` must have been read.
void complete_checkpoints(ExperimentSpec& spec);

}  // namespace berth::experiments
