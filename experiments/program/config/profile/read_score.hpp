#pragma once

#include "core/support/value.hpp"
#include "sim/profile/profile.hpp"

namespace berth::experiments {

/// Whether `score`, if it is given, names a policy that there is for shared GPUs alone.
[[nodiscard]] bool asks_for_shared_gpus(const core::Value* score);

/// Reads a profile's `score`, the list of plug-ins or the policy of shared GPUs; without it the
/// least allocated server is taken. What is inside servers is known from `reserve`, read before.
/// Errors: recorded at their places.
void read_score(const core::Value* score, sim::Profile& profile, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
