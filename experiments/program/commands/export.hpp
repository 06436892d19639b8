#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace berth::experiments {

/// A run's jobs as Batsim writes them and Evalys reads them.
struct BatsimJobs {
    std::string csv;
    std::size_t jobs = 0;
    std::size_t waiting = 0;  ///< Jobs left out, for they had not started when the run ended.
};

/// The jobs of one replication.
/// Errors: core::InputError when the folder is no run directory with jobs.csv, a table in it is
///         malformed, or the run has no such replication; std::system_error when it cannot be read.
/// Source: Batsim, documentation "Jobs and profiles", "Output files"; Evalys, evalys/jobset.py.
[[nodiscard]] BatsimJobs batsim_jobs(const std::filesystem::path& run, std::int64_t replication);

}  // namespace berth::experiments
