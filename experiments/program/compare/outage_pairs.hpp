#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/program/compare/fates.hpp"

namespace berth::experiments {

/// What failed in two runs, replications paired by seed. An outage is in both where the same
/// component failed at the same time for the same cause: a component's failures do not depend on
/// what runs, so that two policies meet the same ones.
struct OutageComparison {
    /// Outages, and how many jobs lost their places to them.
    struct Side {
        std::uint64_t outages = 0;
        std::uint64_t jobs = 0;
    };
    std::uint64_t both = 0;
    std::uint64_t hit_both = 0;  ///< Of those, that jobs lost their places to in both runs,
    std::uint64_t hit_baseline_only = 0;
    std::uint64_t hit_other_only = 0;
    std::uint64_t jobs_baseline = 0;  ///< Jobs that lost their places to outages in both.
    std::uint64_t jobs_other = 0;
    Side baseline_only;  ///< Of outages that are not in both.
    Side other_only;
};

/// Returns: nothing where one of the runs has no failures.csv.
/// Errors:  core::InputError when one is malformed; std::system_error when it cannot be read.
[[nodiscard]] std::optional<OutageComparison> compare_outages(
    const std::filesystem::path& baseline,
    const std::filesystem::path& other,
    const std::vector<ReplicationPair>& pairs);

}  // namespace berth::experiments
