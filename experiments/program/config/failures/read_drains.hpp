#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `drains`: which parts of the cluster are taken out for maintenance, and when. A drain that
/// names no node rolls over all nodes of its level. The topology and the end of `spec` must have
/// been read.
/// Errors: recorded at their places.
void read_drains(const core::Value* list, ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
