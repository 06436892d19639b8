#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::experiments {

/// What squeue says of a job array.
struct SlurmQueue {
    std::size_t running = 0;
    std::size_t pending = 0;
    std::size_t held = 0;     ///< Of the pending, those that somebody has to release.
    std::string held_reason;  ///< Of one of them, in Slurm's words.

    [[nodiscard]] bool empty() const { return running == 0 && pending == 0; }
};

/// How the tasks of an array ended.
struct SlurmTasks {
    std::map<std::size_t, std::string> states;  ///< By task: `FAILED, exit 1`.
    bool cancelled = false;                     ///< Somebody ended some of them.
};

/// Slurm's commands. A job is named as `sbatch --parsable` prints it: `123` or `123;cluster`.
///
/// Errors: core::InputError when a command is not there. What asks the controller returns nothing
///         when that does not answer; trouble() then says it in one line.
class SlurmCommands {
public:
    /// The most tasks that an array may have.
    [[nodiscard]] std::optional<std::size_t> array_tasks_max();
    /// The job of this name: empty if Slurm knows none.
    [[nodiscard]] std::optional<std::string> find_job(const std::string& name);
    /// Calls sbatch. Nothing when it fails, whyever.
    [[nodiscard]] std::optional<std::string> submit(const std::vector<std::string>& arguments);
    [[nodiscard]] std::optional<SlurmQueue> queue(const std::string& job);
    /// As far as Slurm remembers: by its accounting, or else by the controller's memory.
    [[nodiscard]] SlurmTasks ended_tasks(const std::string& job);

    [[nodiscard]] const std::string& trouble() const { return trouble_; }

private:
    std::optional<std::string> ask(std::vector<std::string> arguments, const std::string& job = "");

    std::string trouble_;
};

/// The number of a job, without its cluster.
[[nodiscard]] std::string slurm_number(const std::string& job);

}  // namespace berth::experiments
