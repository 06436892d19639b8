#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `scheduler`, with its profile, into the settings of a run whose quotas were already read.
/// `share_gpus`: GPUs are shared unless the profile names another allocator of devices. `tree`: the
/// topology, or nullptr if it has errors. `outside`: receives the scheduler that decides instead of
/// a profile, if one is named. `topology`: the experiment's, or nullptr.
/// Errors: recorded at their places.
void read_scheduler(const core::Value* value,
                    bool share_gpus,
                    const core::Value* topology,
                    const core::Topology* tree,
                    sim::Settings& settings,
                    std::optional<OutsideScheduler>& outside,
                    core::Diagnostics& diagnostics);

}  // namespace berth::experiments
