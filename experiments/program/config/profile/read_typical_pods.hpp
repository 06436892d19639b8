#pragma once

#include <memory>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `typicalPods: {format, file, threshold}`: the most frequent pods of a trace, of all its
/// rows, whatever arrives of them. Where it names no file, they are those of the experiment's own
/// workload: all rows of its traces, the pods of its lists, and of generated ones those that are
/// expected until the run ends. `span` is where to say something about an absent `typicalPods`.
/// Errors: recorded; InputError for a trace that cannot be read. A policy that decides by typical
///         pods and has none is an error; one that takes them from the workload though nobody said
///         so is a warning.
[[nodiscard]] std::shared_ptr<const core::TypicalPods> read_typical_pods(
    const core::Value* value,
    const ExperimentSpec& spec,
    const core::SourceSpan& span,
    core::Diagnostics& diagnostics);

}  // namespace berth::experiments
