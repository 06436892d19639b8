#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/sweep/sweep_spec.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// A sweep that Slurm computes.
struct SlurmJob {
    std::string name;                 ///< Name of the sweep.
    std::filesystem::path directory;  ///< Absolute path; contains sweep.yaml.
    std::filesystem::path program;    ///< The path of berth on the cluster's nodes.
    SlurmOptions options;
    bool allow_code = false;  ///< Whether the points may run the code that they name.
    std::size_t points = 0;
    std::function<bool(std::size_t point)> is_done;  ///< Whether the folder of a point exists.
    std::optional<std::size_t> only{};  ///< The only point that is wanted; nothing: all points.

    [[nodiscard]] std::size_t wanted() const { return only ? 1 : points; }
};

/// The job of a sweep's points, whose folders have these names. The arguments must outlive it.
/// Errors: core::InputError if an option of sbatch may run code without permission.
[[nodiscard]] SlurmJob slurm_job(const SweepSpec& sweep,
                                 const SweepDirectory& directory,
                                 const SweepPoints& points,
                                 const std::vector<PointKey>& keys);

/// Checks whether the missing points could be submitted at all, before anything is written.
/// Errors: core::InputError if there is no Slurm; std::runtime_error if it does not answer.
void check_slurm(const SlurmJob& job);

/// The result for a sweep's points.
struct SlurmOutcome {
    std::size_t came = 0;  ///< Number of points that came while the array was followed.
    std::size_t missing = 0;
    bool interrupted = false;  ///< Whether an interrupt ended it while points were missing.
};

/// Submits the points that are not done as a job array, or continues with the array that an earlier
/// call submitted, and follows it. Failed points are submitted again, until no new point comes
/// three times in a row. An interrupt leaves the array to Slurm. Progress is printed on standard
/// error.
///
/// Errors: as for check_slurm(); core::InputError if Slurm refuses the job, and if another process
///         follows this sweep; std::runtime_error if the controller stops answering.
[[nodiscard]] SlurmOutcome run_on_slurm(const SlurmJob& job,
                                        sim::RunControl& control,
                                        bool progress);

/// What run_on_slurm would submit: the script, and the call of sbatch. This works without Slurm.
[[nodiscard]] std::string slurm_plan(const SlurmJob& job);

}  // namespace berth::experiments
