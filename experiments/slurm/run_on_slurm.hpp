#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "experiments/slurm/slurm_options.hpp"
#include "sim/simulation.hpp"

namespace berth::experiments {

/// A sweep that Slurm is to compute.
struct SlurmJob {
    std::filesystem::path directory;  ///< Absolute; holds sweep.yaml.
    std::filesystem::path program;    ///< berth, as the cluster's nodes find it.
    SlurmOptions options;
    std::size_t points = 0;
    std::function<bool(std::size_t point)> is_done;  ///< Whether its folder is there.
};

/// Submits the points that are not done as a job array, or goes on with the array that an earlier
/// call submitted, and follows it. Submits again what failed, until nothing comes of it three times
/// in a row. An interrupt leaves the array to Slurm.
///
/// Returns: how many points are missing.
/// Errors:  core::InputError when there is no Slurm, when it refuses, and when somebody else
///          follows this sweep; std::runtime_error when the controller does not answer.
[[nodiscard]] std::size_t run_on_slurm(const SlurmJob& job,
                                       sim::RunControl& control,
                                       bool progress);

/// What run_on_slurm would submit: the script, and the call of sbatch. Slurm need not be there.
[[nodiscard]] std::string slurm_plan(const SlurmJob& job);

}  // namespace berth::experiments
