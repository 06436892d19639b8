#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/checkpoint.hpp"

namespace berth::experiments {

/// The key of a type and of a job under which its checkpoints stand.
inline constexpr const char* checkpoint_key = "checkpoint";

/// Reads `{every: 1h, takes: 2m, restart: 10m}`. `every: optimal` reads as 0, and is an error where
/// no failures are random.
[[nodiscard]] sim::Checkpoint read_checkpoint(const core::Value& value,
                                              bool random_failures,
                                              core::Diagnostics& diagnostics);

/// Whether `failures` has causes that come at random: a checkpoint may then be `optimal`.
[[nodiscard]] bool has_random_failures(const core::Value* failures);

/// Puts in the intervals of checkpoints that are `optimal`, and notes whether there are any
/// checkpoints. The workload and the failures of `spec` have been read.
void complete_checkpoints(ExperimentSpec& spec);

}  // namespace berth::experiments
