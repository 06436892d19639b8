#pragma once

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// The tree as an allocator of single GPUs needs it: a machine type that only counts its GPUs
/// (`capacity: {nvidia.com/gpu: 8}`) gets that many devices, whose model and place are not known.
/// Types with GPUs among their devices, or with a Device object, stay as they are.
/// Errors: recorded at `span` for a fraction of a GPU, and for more GPUs than can be allocated one
///         by one. A type that counts more GPUs than it has devices gets a warning.
[[nodiscard]] core::Topology with_counted_gpus(core::Topology tree,
                                               const core::SourceSpan& span,
                                               core::Diagnostics& diagnostics);

/// Reads a list of `{objects: [Device, ...]}`, the `devices:` of an experiment, and gives the
/// tree's servers the machine types that their Device objects describe. Servers that differ only in
/// the ids of their devices share a type; a server without an object keeps its own.
/// Errors: recorded for an object whose server does not exist, and for a second object of a server.
[[nodiscard]] core::Topology attach_devices(const core::Value& list,
                                            core::Topology tree,
                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
