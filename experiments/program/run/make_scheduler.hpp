#pragma once

#include <cstdint>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/watched_source.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::experiments {

/// What makes the scheduler of one replication; nullptr: the settings' profile is all of it. What
/// it is given outlives it.
[[nodiscard]] sim::MakeScheduler make_scheduler(const ExperimentSpec& spec,
                                                const sim::Settings& settings,
                                                sim::RecordSink& sink,
                                                const WatchedSource& source,
                                                std::uint32_t replication,
                                                std::uint64_t seed);

/// Errors: core::InputError at the scheduler's name where nobody here can make it.
void check_scheduler(const ExperimentSpec& spec);

}  // namespace berth::experiments
