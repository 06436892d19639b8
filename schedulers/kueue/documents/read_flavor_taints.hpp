#pragma once

#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// Reads `nodeTaints` and `tolerations` in a ResourceFlavor's spec, and returns the tolerations. A
/// taint that the flavor itself does not tolerate would keep away all jobs without tolerations of
/// their own: such a taint is refused. Other taints do not change any decision.
[[nodiscard]] std::vector<core::Toleration> read_flavor_taints(core::MapReader& spec);

}  // namespace berth::experiments
