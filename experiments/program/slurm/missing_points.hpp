#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/program/slurm/job_script.hpp"
#include "experiments/program/slurm/run_on_slurm.hpp"
#include "experiments/program/slurm/slurm_commands.hpp"

namespace berth::experiments {

/// The points of a sweep that are still missing.
class MissingPoints {
public:
    /// `job` must outlive it.
    explicit MissingPoints(const SlurmJob& job);

    /// Checks which points exist by now. Cost: a file system access for each missing point.
    void refresh();

    [[nodiscard]] bool empty() const { return points_.empty(); }
    [[nodiscard]] std::size_t size() const { return points_.size(); }
    /// The missing points of task `shard`, ascending.
    [[nodiscard]] std::vector<std::size_t> of_shard(std::size_t shard, std::size_t shards) const;
    /// The tasks with missing points, ascending.
    [[nodiscard]] std::vector<std::size_t> shards_with_some(std::size_t shards) const;
    /// How long the last check took.
    [[nodiscard]] std::chrono::steady_clock::duration cost() const { return cost_; }

private:
    const SlurmJob& job_;
    std::vector<std::size_t> points_;
    std::chrono::steady_clock::duration cost_{};
};

/// How the tasks with missing points ended, in a few words: `2 NODE_FAIL, 1 FAILED, exit 1`.
[[nodiscard]] std::string ends_of_tasks(const SlurmTasks& tasks,
                                        const std::vector<std::size_t>& shards);

/// Which points are missing, and the last output of their tasks: some lines for each of the first
/// tasks.
[[nodiscard]] std::string failed_tasks(const SlurmJob& job,
                                       const SubmittedArray& array,
                                       const SlurmTasks& tasks,
                                       const MissingPoints& missing);

}  // namespace berth::experiments
