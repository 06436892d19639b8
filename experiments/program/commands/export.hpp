#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace berth::experiments {

/// The jobs of a run in the format that Batsim writes and Evalys reads.
struct BatsimJobs {
    std::string csv;
    std::size_t jobs = 0;
    std::size_t waiting = 0;  ///< Number of jobs left out because they had not started when the run
                              ///< ended.
};

/// The jobs of one replication.
/// Errors: core::InputError if the folder is no run directory with jobs.csv, if a table in it is
///         malformed, or if the run has no such replication; std::system_error if it cannot be
///         read.
/// Source: Batsim, documentation "Jobs and profiles", "Output files"; Evalys, evalys/jobset.py.
[[nodiscard]] BatsimJobs batsim_jobs(const std::filesystem::path& run, std::int64_t replication);

}  // namespace berth::experiments
