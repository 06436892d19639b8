#pragma once

#include <memory>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "workloads/trace/speed_table.hpp"

namespace berth::experiments {

/// Reads a table of speeds, whose file was replaced by its content.
/// Returns: nullptr if there is none. Errors: recorded; InputError in the table.
[[nodiscard]] std::shared_ptr<const workloads::SpeedTable> read_speeds(
    const core::Value& value, core::Diagnostics& diagnostics);

/// The speeds on the cluster's servers with GPUs, if the table tells machine types apart.
[[nodiscard]] std::shared_ptr<const workloads::SpeedTable> speeds_on(workloads::SpeedTable table,
                                                                     const core::Topology& tree);

/// Reads `training` of an entry written by hand: a job of as many pods as it has GPUs, as a trace
/// of the format training has them, without a name and times.
/// Errors: recorded; InputError in the table of speeds.
[[nodiscard]] sim::Job read_training(const core::Value& value,
                                     const core::Topology& tree,
                                     core::Diagnostics& diagnostics);

}  // namespace berth::experiments
