#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::experiments {

/// What happened to a pod or a group in one replication.
struct Fate {
    std::string name;
    std::string group;    ///< The group of a pod that is a member.
    std::string outcome;  ///< The outcome, as in pods.csv.
    /// The server of a pod, or the numbers of nodes at each level that a group used.
    std::string place;
    std::string reason;  ///< Why it was not placed.
    std::optional<double> wait_s;
    std::optional<double> jct_s;
};

/// A pod or group with the same seed in both runs.
struct FateChange {
    std::uint64_t seed = 0;
    std::int64_t replication = 0;  ///< The replication of the baseline, for `berth why`.
    Fate baseline;
    Fate other;
};

/// All pods, or all groups, of the replications that two runs have in common.
struct FateComparison {
    std::size_t both = 0;  ///< The number that both runs have.
    std::size_t baseline_only = 0;
    std::size_t other_only = 0;
    /// Those placed in both runs but elsewhere; for groups, on other numbers of nodes.
    std::size_t moved = 0;
    std::size_t waited_longer = 0;
    std::size_t waited_shorter = 0;
    /// The number with each pair of different outcomes, in the baseline and in the other run.
    std::map<std::pair<std::string, std::string>, std::size_t> outcomes;
    std::vector<FateChange> most;  ///< The largest changes, the largest one first.
};

struct FateComparisons {
    FateComparison pods;
    FateComparison groups;
};

/// A replication of each run, with the same seed.
struct ReplicationPair {
    std::uint64_t seed = 0;
    std::int64_t baseline = 0;
    std::int64_t other = 0;
};

/// Compares pods.csv and groups.csv, as far as both runs have them. Pods and groups that are placed
/// in only one run changed most, then those with another outcome; then the change in wait or
/// completion time decides. Of a group's members, only the one that changed most is named, and only
/// if it changed more than its group. Several with the same name are paired in their order.
///
/// Shape:  `pairs` ascends in both replications. At most `most` changes of each kind are kept.
/// Errors: core::InputError if a table is malformed.
/// Cost:   one replication of each run in memory.
[[nodiscard]] FateComparisons compare_fates(const std::filesystem::path& baseline,
                                            const std::filesystem::path& other,
                                            const std::vector<ReplicationPair>& pairs,
                                            std::size_t most);

}  // namespace berth::experiments
