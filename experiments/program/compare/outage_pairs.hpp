#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/program/compare/fates.hpp"

namespace berth::experiments {

/// The failures of two runs, with replications paired by seed. An outage counts for both if the
/// same component failed at the same time for the same cause: a component's failures do not depend
/// on the jobs, so two policies meet the same failures.
struct OutageComparison {
    /// A number of outages, and how many jobs lost their places because of them.
    struct Side {
        std::uint64_t outages = 0;
        std::uint64_t jobs = 0;
    };
    std::uint64_t both = 0;
    std::uint64_t hit_both = 0;  ///< How many of those took places of jobs in both runs.
    std::uint64_t hit_baseline_only = 0;
    std::uint64_t hit_other_only = 0;
    /// Jobs that lost their places to outages that are in both runs.
    std::uint64_t jobs_baseline = 0;
    std::uint64_t jobs_other = 0;
    Side baseline_only;  ///< Outages that are not in both runs.
    Side other_only;
};

/// Compares the outages.
/// Returns: nothing if one of the runs has no failures.csv.
/// Errors:  core::InputError if one is malformed; std::system_error if it cannot be read.
[[nodiscard]] std::optional<OutageComparison> compare_outages(
    const std::filesystem::path& baseline,
    const std::filesystem::path& other,
    const std::vector<ReplicationPair>& pairs);

}  // namespace berth::experiments
