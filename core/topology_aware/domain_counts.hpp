#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/topology_aware/placement_parameters.hpp"

namespace berth::core::kueue {

/// How much of a task a domain can take.
struct DomainState {
    std::int64_t pods = 0;
    std::int64_t slices = 0;
    std::int64_t pods_with_leader = 0;  ///< If the leader is here, too.
    std::int64_t slices_with_leader = 0;
    std::int64_t leaders = 0;
    std::int64_t affinity = 0;

    [[nodiscard]] std::int64_t capacity(bool in_slices, bool with_leader) const {
        return in_slices ? (with_leader ? slices_with_leader : slices)
                         : (with_leader ? pods_with_leader : pods);
    }
};

/// Why leaves take no pods: the text of each reason, and how often it was the first.
class Exclusions {
public:
    void set_total(std::size_t leaves) { total_ = leaves; }
    void add(const std::string& why, std::int64_t count = 1) { counts_[why] += count; }
    /// The end of a message: how many there are, and why how many are left out; or nothing.
    [[nodiscard]] std::string text() const;

private:
    std::size_t total_ = 0;
    std::map<std::string, std::int64_t> counts_;
};

/// Leaves that the rules about nodes let a pod set use, with their scores; leaves are by server.
struct NodeMatches {
    struct Match {
        ServerId server;
        std::int64_t score = 0;
    };
    std::vector<Match> matches;
    Exclusions exclusions;
};

/// Matches of the pod sets of one workload, kept from one placement to the next.
using NodeMatchCache = std::map<std::string, NodeMatches>;

/// The states of all domains for a task, from the leaves up.
///
/// Cost:   O(domains x resources).
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, fillInCounts.
class DomainCounts {
public:
    explicit DomainCounts(const TopologySnapshot& snapshot);

    /// Counts afresh for a task.
    void fill(const PlacementTask& task,
              const PlacementParameters& parameters,
              NodeMatchCache& cache);

    [[nodiscard]] DomainState& operator[](NodeId domain) { return states_[domain.index]; }
    [[nodiscard]] const DomainState& operator[](NodeId domain) const {
        return states_[domain.index];
    }
    [[nodiscard]] const TopologySnapshot& snapshot() const { return snapshot_; }
    [[nodiscard]] const Exclusions& exclusions() const { return exclusions_; }

    /// Sums up what is below a domain and the domain itself from the leaves. `inner_sizes`: see
    /// PlacementParameters.
    void roll_up(NodeId top,
                 const PlacementParameters& parameters,
                 std::span<const std::int64_t> inner_sizes);
    /// Calls `visit` with the range of each level from some siblings down, as indices.
    template <class Visit>
    void for_each_level_below(std::uint32_t begin, std::uint32_t end, const Visit& visit) const {
        const Topology& tree = snapshot_.tree();
        visit(begin, end);
        while (begin < end && !tree.is_server(NodeId{begin})) {
            begin = tree.child_begin(NodeId{begin});
            end = tree.child_end(NodeId{end - 1});
            visit(begin, end);
        }
    }

private:
    /// The leaves that rules about nodes let the task use.
    void fill_nodes(const PlacementTask& task,
                    const PlacementParameters& parameters,
                    NodeMatchCache& cache);
    [[nodiscard]] NodeMatches match(const TopologyPodSet& set,
                                    const PlacementParameters& parameters) const;
    /// Empty for a server that is not.
    [[nodiscard]] std::string why_excluded(ServerId server,
                                           const TopologyPodSet& set,
                                           const PlacementParameters& parameters) const;
    void fill_leaf(NodeId leaf, const PlacementTask& task);
    void sum_up(NodeId domain,
                std::size_t level,
                const PlacementParameters& parameters,
                std::int64_t inner_size);

    const TopologySnapshot& snapshot_;
    std::vector<DomainState> states_;  ///< By node of the tree.
    Exclusions exclusions_;
};

}  // namespace berth::core::kueue
