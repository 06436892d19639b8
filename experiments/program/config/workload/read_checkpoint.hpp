#pragma once

#include "core/support/value.hpp"
#include "sim/job/checkpoint.hpp"

namespace berth::experiments {

/// The key of a type and of a job under which its checkpoints stand.
inline constexpr const char* checkpoint_key = "checkpoint";

/// Reads `{every: 1h, takes: 2m, restart: 10m}`. `every: optimal` reads as 0, and is an error where
/// no failures are random.
[[nodiscard]] sim::Checkpoint read_checkpoint(const core::Value& value,
                                              bool random_failures,
                                              core::Diagnostics& diagnostics);

}  // namespace berth::experiments
