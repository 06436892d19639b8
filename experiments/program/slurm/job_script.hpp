#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/slurm/run_on_slurm.hpp"

namespace berth::experiments {

/// The array that was submitted for a sweep, as DIR/slurm/job.json has it.
struct SubmittedArray {
    std::string name;  ///< No other job has it: known before sbatch is called.
    std::string job;   ///< What sbatch answered; empty if nobody was there to hear it.
    std::size_t shards = 1;
    /// How often it was submitted again since a point came of it; 0: for the first time.
    std::size_t attempt = 0;
};

/// What DIR/slurm remembers between calls of berth, and that only one at a time follows the sweep.
class SlurmMemory {
public:
    /// Errors: core::InputError when somebody else has it open; std::system_error.
    explicit SlurmMemory(const std::filesystem::path& folder);
    ~SlurmMemory();
    SlurmMemory(const SlurmMemory&) = delete;
    SlurmMemory& operator=(const SlurmMemory&) = delete;

    /// Nothing if there is none, or none that can be read.
    [[nodiscard]] std::optional<SubmittedArray> array() const;
    void remember(const SubmittedArray& array);
    void forget();

private:
    std::filesystem::path file_;
    int lock_ = -1;
};

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
