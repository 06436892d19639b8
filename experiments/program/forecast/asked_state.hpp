#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// The state of a cluster, as the command line names it.
struct StateArgument {
    /// An experiment, a run, the list of a cluster's objects, or the list of Slurm's jobs.
    std::string state;
    std::optional<std::string> nodes{};  ///< The list of Slurm's nodes, beside that of its jobs.
    bool lenient = false;  ///< Whether jobs of a list that cannot be placed are left out.
};

/// What a forecast is asked about.
struct ForecastState {
    ExperimentSpec spec;
    std::optional<sim::Job> proposed;        ///< The job of `--job FILE`.
    std::filesystem::path directory;         ///< The run directory; empty for anything else.
    std::optional<TraceOrigin> own_history;  ///< Of a list: what it tells of the past itself.
    std::vector<std::string> warnings;       ///< What reading a list found.
};

/// Whether this names a run or a point of a sweep.
[[nodiscard]] bool is_run(const std::string& state);

/// Reads the state, and the job that a file proposes.
/// Errors: core::InputError for anything that cannot be read, and for several jobs.
[[nodiscard]] ForecastState read_asked(const StateArgument& state,
                                       const std::optional<std::string>& job_file);

}  // namespace berth::experiments
