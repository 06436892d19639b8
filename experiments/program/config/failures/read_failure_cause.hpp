#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {

/// Reads one cause of `failures.random`: what fails, how often, and how long its repair takes.
/// Returns nothing for one without a name or without anything of the topology that it concerns.
/// Errors: recorded at their places.
[[nodiscard]] std::optional<workloads::FailureCause> read_failure_cause(
    const core::Value& value, const core::Topology& tree, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
