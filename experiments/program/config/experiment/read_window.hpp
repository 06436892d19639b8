#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `from`, `to` and `warmUp` of `record`; `until` of the experiment must have been read.
void read_window(core::MapReader& record, ExperimentSpec& spec);

}  // namespace berth::experiments
