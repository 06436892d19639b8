#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "experiments/program/sweep/sweep_spec.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// A sweep that Slurm is to compute.
struct SlurmJob {
    std::string name;                 ///< Of the sweep.
    std::filesystem::path directory;  ///< Absolute; holds sweep.yaml.
    std::filesystem::path program;    ///< berth, as the cluster's nodes find it.
    SlurmOptions options;
    bool allow_code = false;  ///< The points may run the code that they name.
    std::size_t points = 0;
    std::function<bool(std::size_t point)> is_done;  ///< Whether its folder is there.
};

/// Whether the points that are missing could be submitted at all, before anything is written.
/// Errors: core::InputError when there is no Slurm; std::runtime_error when it does not answer.
void check_slurm(const SlurmJob& job);

/// What became of a sweep's points.
struct SlurmOutcome {
    std::size_t came = 0;  ///< While they were followed.
    std::size_t missing = 0;
    bool interrupted = false;  ///< By an interrupt, with some missing.
};

/// Submits the points that are not done as a job array, or goes on with the array that an earlier
/// call submitted, and follows it. Submits again what failed, until nothing comes of it three times
/// in a row. An interrupt leaves the array to Slurm. What happens is said on standard error.
///
/// Errors: as check_slurm(); core::InputError when Slurm refuses the job, and when somebody else
///         follows this sweep; std::runtime_error when the controller stops answering.
[[nodiscard]] SlurmOutcome run_on_slurm(const SlurmJob& job,
                                        sim::RunControl& control,
                                        bool progress);

/// What run_on_slurm would submit: the script, and the call of sbatch. Slurm need not be there.
[[nodiscard]] std::string slurm_plan(const SlurmJob& job);

}  // namespace berth::experiments
