#pragma once

#include <string>
#include <vector>

#include "experiments/program/slurm/missing_points.hpp"
#include "experiments/program/slurm/slurm_commands.hpp"
#include "experiments/program/slurm/slurm_memory.hpp"

namespace berth::experiments {

/// How the tasks with missing points ended, in a few words: `2 NODE_FAIL, 1 FAILED, exit 1`.
[[nodiscard]] std::string ends_of_tasks(const SlurmTasks& tasks,
                                        const std::vector<std::size_t>& shards);

/// Which points are missing and what their tasks said last: some lines for each of the first tasks.
[[nodiscard]] std::string failed_tasks(const SlurmJob& job,
                                       const SubmittedArray& array,
                                       const SlurmTasks& tasks,
                                       const MissingPoints& missing);

}  // namespace berth::experiments
