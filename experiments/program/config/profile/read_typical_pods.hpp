#pragma once

#include <memory>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `typicalPods: {format, file, threshold}`: the most frequent pods among all rows of a
/// trace, whichever of them arrive. If no file is named, the pods of the experiment's own workload
/// count: all rows of its traces, the pods in its lists, and, for generated pods, those expected
/// until the run ends. `span` is the place for messages about an absent `typicalPods`.
/// Errors: recorded; InputError for a trace that cannot be read. A policy that decides by typical
///         pods but has none is an error. A policy that takes them from the workload without being
///         told to gets a warning.
[[nodiscard]] std::shared_ptr<const core::TypicalPods> read_typical_pods(
    const core::Value* value,
    const ExperimentSpec& spec,
    const core::SourceSpan& span,
    core::Diagnostics& diagnostics);

}  // namespace berth::experiments
