#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

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

}  // namespace berth::experiments
