#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::experiments {

/// What squeue tells about a job array.
struct SlurmQueue {
    std::size_t running = 0;
    std::size_t pending = 0;
    std::size_t held = 0;     ///< Number of pending tasks that a user or an administrator has to
                              ///< release.
    std::string held_reason;  ///< The reason of one of them, in Slurm's words.

    [[nodiscard]] bool empty() const { return running == 0 && pending == 0; }
};

/// How the tasks of an array ended.
struct SlurmTasks {
    std::map<std::size_t, std::string> states;  ///< Keyed by task; such as `FAILED, exit 1`.
    bool cancelled = false;                     ///< Whether some tasks were cancelled.
};

/// Slurm's commands. A job is named as `sbatch --parsable` prints it: `123` or `123;cluster`.
///
/// Errors: core::InputError if a command does not exist. A function that asks the controller
///         returns nothing if the controller does not answer; trouble() then tells why in one line.
class SlurmCommands {
public:
    /// The maximum number of tasks in an array.
    [[nodiscard]] std::optional<std::size_t> array_tasks_max();
    /// The job with this name; empty if Slurm knows none.
    [[nodiscard]] std::optional<std::string> find_job(const std::string& name);
    /// Calls sbatch. Returns nothing if it fails, for whatever reason.
    [[nodiscard]] std::optional<std::string> submit(const std::vector<std::string>& arguments);
    [[nodiscard]] std::optional<SlurmQueue> queue(const std::string& job);
    /// The ended tasks that Slurm remembers: from its accounting, or else from the controller's
    /// memory.
    [[nodiscard]] SlurmTasks ended_tasks(const std::string& job);

    [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
    std::optional<std::string> ask(std::vector<std::string> arguments, const std::string& job = "");

    std::string trouble_;
};

/// The number of a job, without its cluster.
[[nodiscard]] std::string slurm_number(const std::string& job);

}  // namespace berth::experiments
