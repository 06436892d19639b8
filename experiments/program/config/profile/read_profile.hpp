#pragma once

#include "core/support/value.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// Reads a profile: the plug-ins at each point of a scheduling cycle. `share_gpus`: GPUs are shared
/// unless it names another allocator of devices.
/// Errors: recorded at their places.
void read_profile(const core::Value* value,
                  bool share_gpus,
                  sim::Settings& settings,
                  core::Diagnostics& diagnostics);

}  // namespace berth::experiments
