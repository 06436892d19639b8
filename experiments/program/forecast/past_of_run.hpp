#pragma once

#include <cstdint>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/forecast/past.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What happened to each job of a replication, which is run again.
/// Errors: core::InputError if it has jobs whose run times cannot be drawn.
[[nodiscard]] Past past_of_run(const ExperimentSpec& spec,
                               std::uint32_t replication,
                               sim::RunControl& control);

}  // namespace berth::experiments
