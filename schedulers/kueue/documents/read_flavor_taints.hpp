#pragma once

#include "core/support/value.hpp"

namespace berth::experiments {

/// Reads `nodeTaints` and `tolerations` of a ResourceFlavor's spec. Jobs of a run have no
/// tolerations of their own, so that a taint which the flavor does not tolerate itself would keep
/// all of them away: such a one is refused. Others change nothing of what is decided.
void read_flavor_taints(core::MapReader& spec);

}  // namespace berth::experiments
