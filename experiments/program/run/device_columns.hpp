#pragma once

#include <string>
#include <string_view>

#include "core/tree/topology.hpp"
#include "sim/job/grant.hpp"

namespace berth::experiments {

/// The indices of a pod's GPUs, in ascending order, joined by `-`; empty for none.
[[nodiscard]] std::string gpu_indices(const sim::Grant& grant);
/// The same, at the end of a text.
void append_gpu_indices(std::string& out, const sim::Grant& grant);
/// What pods.csv says of a pod's devices in a run that allocates them, with a leading comma;
/// `grant` may be nullptr: a pod that has none.
[[nodiscard]] std::string device_columns(sim::DeviceGrant grant);

/// devices.csv: what is inside the machine types, a row a device.
[[nodiscard]] std::string devices_csv(const core::Topology& tree);

}  // namespace berth::experiments
