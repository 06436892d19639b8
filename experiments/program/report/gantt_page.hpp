#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/devices.hpp"

namespace berth::report {

/// Which pod was where and when, of replication 0: servers, and a column for each thing that is
/// known of a pod, packed. Servers that do not fit with all their pods into `pods_max` are left
/// out, the last ones of the tree. Null when no time passes. `cluster` must not be aggregated;
/// `devices` may be null.
[[nodiscard]] nlohmann::ordered_json gantt_data(const Cluster& cluster,
                                                const Devices* devices,
                                                std::size_t pods_max);

}  // namespace berth::report
