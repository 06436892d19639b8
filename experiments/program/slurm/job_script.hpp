#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/program/slurm/run_on_slurm.hpp"

namespace berth::experiments {

/// `0-3,7,9-12` of ascending numbers.
[[nodiscard]] std::string array_list(const std::vector<std::size_t>& tasks);

/// How many tasks the points are dealt to: point i to task i % shards.
[[nodiscard]] std::size_t shard_count(const SlurmJob& job, std::size_t array_tasks_max);

/// What each task runs.
[[nodiscard]] std::string job_script(const SlurmJob& job, std::size_t shards);

/// Where the script is, and what the tasks say.
[[nodiscard]] std::filesystem::path slurm_folder(const SlurmJob& job);
[[nodiscard]] std::filesystem::path script_path(const SlurmJob& job);
[[nodiscard]] std::filesystem::path output_path(const SlurmJob& job,
                                                const std::string& id,
                                                std::size_t task);

/// The call of sbatch. Options of the user may change what stands before them, and not what berth
/// relies on.
[[nodiscard]] std::vector<std::string> sbatch_arguments(const SlurmJob& job,
                                                        const std::string& name,
                                                        const std::vector<std::size_t>& tasks);

/// An argument as a shell wants it.
[[nodiscard]] std::string shell_quoted(const std::string& text);

}  // namespace berth::experiments
