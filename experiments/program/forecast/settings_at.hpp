#pragma once

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/forecast/past.hpp"
#include "sim/clock/time.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// The experiment's settings with `now` as time 0, without what only results need.
///
/// What is planned is known: drains, changes of quotas and servers that are added later. What fails
/// later is not, nor is when something is repaired: what is out stays out.
[[nodiscard]] sim::Settings settings_at(const ExperimentSpec& spec,
                                        const Past& past,
                                        sim::SimTime now,
                                        sim::SimTime horizon);

}  // namespace berth::experiments
