#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// Reads `failures`: which servers fail, are repaired, or are added, and when. A server whose first
/// event is `add` is not there before it.
/// Errors: recorded at their places.
void read_failures(const core::Value* value,
                   const core::Topology& tree,
                   sim::Settings& settings,
                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
