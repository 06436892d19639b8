#pragma once

#include "core/support/source.hpp"
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

}  // namespace berth::experiments
