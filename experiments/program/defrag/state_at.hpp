#pragma once

#include <cstdint>
#include <functional>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/run/run_control.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::experiments {

/// Runs a replication until `at`, and shows its state: all jobs that end or arrive until then,
/// including that instant, have done so, and the scheduler has not decided about those of that
/// instant yet.
/// Returns: whether the run came so far; it did not if it was interrupted, or ends before.
[[nodiscard]] bool show_state_at(
    const ExperimentSpec& spec,
    std::uint32_t replication,
    sim::SimTime at,
    sim::RunControl& control,
    const std::function<void(const sim::Actions&, const sim::Settings&)>& show);

}  // namespace berth::experiments
