#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::experiments {

/// `slurm` of a sweep: how its job array is submitted.
struct SlurmOptions {
    std::string partition;  ///< Empty: the cluster's default.
    std::optional<std::chrono::seconds> time;
    std::uint32_t width = 100;         ///< Tasks at a time.
    std::vector<std::string> options;  ///< For sbatch, as they are.
};

}  // namespace berth::experiments
