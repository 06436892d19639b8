#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::experiments {

/// What became of a pod or a group in one replication.
struct Fate {
    std::string name;
    std::string group;    ///< Of a pod that is a member of one.
    std::string outcome;  ///< As in pods.csv.
    std::string place;    ///< A pod's server; how many nodes of each level a group used.
    std::string reason;   ///< Why it was not placed.
    std::optional<double> wait_s;
    std::optional<double> jct_s;
};

/// One pod or group under one seed, in both runs.
struct FateChange {
    std::uint64_t seed = 0;
    std::int64_t replication = 0;  ///< Of the baseline, which `berth why` asks for.
    Fate baseline;
    Fate other;
};

/// All pods, or all groups, of the replications that two runs have in common.
struct FateComparison {
    std::size_t both = 0;  ///< Those that both runs have.
    std::size_t baseline_only = 0;
    std::size_t other_only = 0;
    std::size_t moved = 0;  ///< Placed in both, elsewhere; groups: over other numbers of nodes.
    std::size_t waited_longer = 0;
    std::size_t waited_shorter = 0;
    /// How many ended otherwise, by the outcome in the baseline and in the other run.
    std::map<std::pair<std::string, std::string>, std::size_t> outcomes;
    std::vector<FateChange> most;  ///< Those that changed most, first.
};

struct FateComparisons {
    FateComparison pods;
    FateComparison groups;
};

/// A replication of each run, with one seed.
struct ReplicationPair {
    std::uint64_t seed = 0;
    std::int64_t baseline = 0;
    std::int64_t other = 0;
};

/// Compares pods.csv and groups.csv, as far as both runs have them. Whoever is placed in one run
/// alone changed most, then who ended otherwise, then by the change of wait or completion time. A
/// group's member is named only if it changed more than its group, and then the one that changed
/// most. Several of one name are taken in their order.
///
/// Shape:  `pairs` ascending in both replications; at most `most` changes of each kind are kept.
/// Errors: core::InputError when a table is malformed.
/// Cost:   one replication of each run in memory.
[[nodiscard]] FateComparisons compare_fates(const std::filesystem::path& baseline,
                                            const std::filesystem::path& other,
                                            const std::vector<ReplicationPair>& pairs,
                                            std::size_t most);

}  // namespace berth::experiments
