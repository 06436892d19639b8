#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// What a trace says happened to a job that arrives in the run. Times are on the run's clock; those
/// before it begins are negative.
struct RecordedJob {
    std::string name;       ///< The name that the job has in the run.
    std::string partition;  ///< The virtual cluster, partition, namespace or queue it was in.
    std::optional<sim::SimTime> submit;
    std::optional<sim::SimTime> start;
    std::optional<sim::SimTime> finish;
};

/// The jobs of all traces of an experiment, in the order of arrival in the run.
///
/// Cost:   one more reading of each trace; about 200 bytes for each job.
/// Errors: core::InputError if there is no trace, if no job of them has a recorded start, or if the
///         experiment changes a trace, so that its jobs are not those that were recorded.
[[nodiscard]] std::vector<RecordedJob> read_recorded_jobs(const std::string& file,
                                                          const ExperimentSpec& spec);

}  // namespace berth::experiments
