#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads a list of `{objects: [Device, ...]}`, as `devices:` of an experiment has it, and gives the
/// tree's servers the machine types that their Device objects describe. Servers that differ only in
/// the ids of their devices share a type; a server without an object keeps its own.
/// Errors: recorded: an object for a server that is not there, or a second one.
[[nodiscard]] core::Topology attach_devices(const core::Value& list,
                                            core::Topology tree,
                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
