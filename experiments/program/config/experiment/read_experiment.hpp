#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads a resolved `kind: Experiment`.
/// Errors: recorded, as many as can be found at once; nothing is returned if there were any.
[[nodiscard]] std::optional<ExperimentSpec> read_experiment(const core::Value& document,
                                                            core::Diagnostics& diagnostics);

}  // namespace berth::experiments
