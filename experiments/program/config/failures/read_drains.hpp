#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `drains`: when which part of the cluster is taken out for maintenance. One without a name
/// rolls over all nodes of its level. The topology and the end of `spec` have been read.
/// Errors: recorded at their places.
void read_drains(const core::Value* list, ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
