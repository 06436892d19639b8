#pragma once

#include <string>

#include "core/tree/topology.hpp"
#include "experiments/program/run/table_row.hpp"
#include "sim/job/grant.hpp"

namespace berth::experiments {

/// The indices of a pod's GPUs, in ascending order, joined by `-`; empty for none.
[[nodiscard]] std::string gpu_indices(const sim::Grant& grant);
/// What pods.csv says of a pod's devices in a run that allocates them; `grant` may be nullptr: a
/// pod that has none.
void write_devices(TableRow& row, sim::DeviceGrant grant);

/// devices.csv: what is inside the machine types, a row a device.
[[nodiscard]] std::string devices_csv(const core::Topology& tree);

}  // namespace berth::experiments
