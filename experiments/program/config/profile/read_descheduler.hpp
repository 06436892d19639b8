#pragma once

#include <memory>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::experiments {

/// Reads `descheduler: {every, policy, budget}`. `spec`: its scheduler has been read.
/// Errors: recorded; also if another scheduler than that of a profile decides.
[[nodiscard]] std::shared_ptr<const sim::SchedulerSettings> read_descheduler(
    const core::Value& value, const ExperimentSpec& spec, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
