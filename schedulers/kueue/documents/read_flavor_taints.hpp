#pragma once

#include "core/support/value.hpp"

namespace berth::experiments {

/// Reads `nodeTaints` and `tolerations` in a ResourceFlavor's spec. Jobs of a run have no
/// tolerations of their own, so a taint that the flavor itself does not tolerate would keep all of
/// them away: such a taint is refused. Other taints do not change any decision.
void read_flavor_taints(core::MapReader& spec);

}  // namespace berth::experiments
