#pragma once

#include <cstddef>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/devices.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// Where each pod of replication 0 was, and when: the servers, and a packed column for each known
/// property of pods. Servers are left out, from the end of the tree, if they do not fit with all
/// their pods into `pods_max`. Null if no time passes. `cluster` must not be aggregated; `devices`
/// may be null.
[[nodiscard]] Maybe<"GanttData"> gantt_data(const Cluster& cluster,
                                            const Devices* devices,
                                            std::size_t pods_max);

}  // namespace berth::report
