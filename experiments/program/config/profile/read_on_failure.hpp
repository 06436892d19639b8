#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// Reads `scheduler.onFailure`: `requeue`, or `{name: replace, giveUpAfter: 10, spares: {level:
/// rack, count: 2}}`. `value` may be nullptr, which leaves `rule` as it is; `tree` may be nullptr
/// where the topology has errors.
/// Errors: recorded at their places.
void read_on_failure(const core::Value* value,
                     const core::Topology* tree,
                     sim::OnFailure& rule,
                     core::Diagnostics& diagnostics);

}  // namespace berth::experiments
