#pragma once

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// The tree as whoever gives out GPUs one by one needs it: a machine type that only counts its GPUs
/// (`capacity: {nvidia.com/gpu: 8}`) has that many devices, of whose model and place nothing is
/// known. Types with GPUs among their devices, or with a Device object, stay as they are.
/// Errors: recorded at `span`: a fraction of a GPU, more GPUs than are given out one by one. A type
///         that counts more GPUs than it has devices is a warning.
[[nodiscard]] core::Topology with_counted_gpus(core::Topology tree,
                                               const core::SourceSpan& span,
                                               core::Diagnostics& diagnostics);

/// Reads a list of `{objects: [Device, ...]}`, as `devices:` of an experiment has it, and gives the
/// tree's servers the machine types that their Device objects describe. Servers that differ only in
/// the ids of their devices share a type; a server without an object keeps its own.
/// Errors: recorded: an object for a server that is not there, or a second one.
[[nodiscard]] core::Topology attach_devices(const core::Value& list,
                                            core::Topology tree,
                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
