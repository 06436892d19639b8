#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// Reads `runTime`: how much longer the jobs of each class run, depending on where their members
/// are.
/// Errors: recorded at their places.
void read_run_time(const core::Value* value,
                   const core::Topology& tree,
                   sim::Settings& settings,
                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
