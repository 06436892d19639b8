#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `failures`: which servers fail, are repaired, or are added at given times, and what else
/// fails by itself. A server whose first event is `add` is not there before it. The topology of
/// `spec` has been read.
/// Errors: recorded at their places.
void read_failures(const core::Value* value, ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
