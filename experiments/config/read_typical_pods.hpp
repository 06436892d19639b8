#pragma once

#include <memory>
#include <vector>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/support/value.hpp"
#include "experiments/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `typicalPods: {format, file, threshold}`: the most frequent pods of a trace, of all its
/// rows, whatever arrives of them. Where it names no file, they are those of the experiment's own
/// traces; nothing where there are none.
/// Errors: recorded; InputError for a trace that cannot be read.
[[nodiscard]] std::shared_ptr<const core::TypicalPods> read_typical_pods(
    const core::Value* value,
    const std::vector<WorkloadSource>& workload,
    core::Diagnostics& diagnostics);

}  // namespace berth::experiments
