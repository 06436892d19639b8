#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `failures`: which servers fail, are repaired, or are added at given times, and what fails
/// by itself. A server whose first event is `add` is absent until then. The topology of `spec` must
/// have been read.
/// Errors: recorded at their places.
void read_failures(const core::Value* value, ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
