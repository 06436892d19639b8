#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/forecast/past.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::experiments {

/// A cluster as it is now, and what is known of how it came to be.
struct StateAndPast {
    std::vector<PastJob> jobs;
    sim::SimTime now{};  ///< The latest instant that the history tells.
    /// The job that alone tells `now`, over an hour after all others, and how long after them;
    /// empty if there is none.
    std::pair<std::string, sim::SimTime> now_alone{};
    std::size_t running = 0;  ///< Jobs that run now.
    std::size_t unknown = 0;  ///< How many of them the history does not tell the start of.
    std::size_t later = 0;    ///< Jobs that come later, which are left out.
};

/// Reads the jobs of a trace. Its clock begins with the earliest instant that the trace tells.
/// Errors: core::InputError if it cannot be read as such a trace.
[[nodiscard]] std::vector<workloads::TraceJob> read_history(const TraceOrigin& origin);

/// The jobs that run and wait at time 0 of an experiment, and those of the history that have ended.
/// A job that runs is found in the history by its name: it tells when it started, its limit and its
/// user. Names may begin with the namespace.
///
/// `some_proposed`: whether jobs are asked about that are not in the state.
/// Errors: core::InputError if no job waits and none is proposed, if the experiment has other
///         sources of jobs, and if a job of the state has ended or waits by the history.
[[nodiscard]] StateAndPast past_of_state(const ExperimentSpec& spec,
                                         const std::vector<workloads::TraceJob>& history,
                                         bool some_proposed);

}  // namespace berth::experiments
