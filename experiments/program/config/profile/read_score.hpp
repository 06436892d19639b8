#pragma once

#include "core/support/value.hpp"
#include "sim/profile/profile.hpp"

namespace berth::experiments {

/// Whether `score`, if it is given, names a policy that exists only for shared GPUs.
[[nodiscard]] bool asks_for_shared_gpus(const core::Value* score);

/// Reads a profile's `score`, which is a list of plug-ins or the policy for shared GPUs. Without
/// it, the least allocated server is chosen. `reserve` must have been read: it tells what is inside
/// servers.
/// Errors: recorded at their places.
void read_score(const core::Value* score, sim::Profile& profile, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
