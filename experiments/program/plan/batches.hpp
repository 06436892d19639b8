#pragma once

#include <cstdint>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/plan/plan_spec.hpp"

namespace berth::experiments {

/// The axis `batch_axis` of a plan's sweep, with a value for each look: its seed, the replications
/// that it adds, and what must be recorded for the requirements. The first has the experiment's own
/// seed, so that its replications are those of a run or of a sweep of the experiment.
/// Errors: recorded, for a seed that is no whole number.
[[nodiscard]] core::Value axis_of_batches(const core::Value& experiment,
                                          const std::vector<std::int64_t>& looks,
                                          const std::vector<PlanRequirement>& requirements,
                                          const core::SourceSpan& span,
                                          core::Diagnostics& diagnostics);

}  // namespace berth::experiments
