#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/slurm/run_on_slurm.hpp"

namespace berth::experiments {

/// The array that was submitted for a sweep, as stored in DIR/slurm/job.json.
struct SubmittedArray {
    std::string name;  ///< Unique among all jobs; known before sbatch is called.
    std::string job;   ///< The answer of sbatch; empty if berth ended before it came.
    std::size_t shards = 1;
    /// How often it was submitted again since the last new point; 0: for the first time.
    std::size_t attempt = 0;
};

/// What DIR/slurm remembers between calls of berth. It also ensures that only one berth follows the
/// sweep at a time.
class SlurmMemory {
public:
    /// Errors: core::InputError if another process has it open; std::system_error.
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

/// Writes ascending numbers as `0-3,7,9-12`.
[[nodiscard]] std::string array_list(const std::vector<std::size_t>& tasks);

/// The number of tasks that share the points: point i belongs to task i % shards.
[[nodiscard]] std::size_t shard_count(const SlurmJob& job, std::size_t array_tasks_max);

/// The script that each task runs.
[[nodiscard]] std::string job_script(const SlurmJob& job, std::size_t shards);

/// The folder and the file of the script, and the file for a task's output.
[[nodiscard]] std::filesystem::path slurm_folder(const SlurmJob& job);
[[nodiscard]] std::filesystem::path script_path(const SlurmJob& job);
[[nodiscard]] std::filesystem::path output_path(const SlurmJob& job,
                                                const std::string& id,
                                                std::size_t task);

/// The call of sbatch. The user's options override the options before them, but not those that
/// berth relies on.
[[nodiscard]] std::vector<std::string> sbatch_arguments(const SlurmJob& job,
                                                        const std::string& name,
                                                        const std::vector<std::size_t>& tasks);

/// An argument quoted for a shell.
[[nodiscard]] std::string shell_quoted(const std::string& text);

}  // namespace berth::experiments
