#pragma once

#include <string>
#include <string_view>

#include "core/tree/topology.hpp"
#include "sim/job/grant.hpp"

namespace berth::experiments {

/// The columns of pods.csv after `reason` in a run that allocates devices, with a leading comma.
inline constexpr std::string_view device_columns_header =
    ",nics,scope,scope_attainable,nvlink,nvlink_attainable,nic_beside,nic_beside_attainable,"
    "locality_reason";

/// The indices of a pod's GPUs, in ascending order, joined by `-`; empty for none.
[[nodiscard]] std::string gpu_indices(const sim::Grant& grant);
/// Those columns for a pod; `grant` may be nullptr: a pod that has no devices.
[[nodiscard]] std::string device_columns(sim::DeviceGrant grant);

/// devices.csv: what is inside the machine types, a row a device.
[[nodiscard]] std::string devices_csv(const core::Topology& tree);

}  // namespace berth::experiments
