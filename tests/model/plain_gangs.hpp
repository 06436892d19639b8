#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// Number of members by server.
using PlainCounts = std::map<core::NodeId, core::Members>;
/// Number of members by server, in the order in which they were placed.
struct PlainPlaces : std::vector<std::pair<core::NodeId, core::Members>> {
    using vector::vector;
    std::vector<PlainGrant> grants;  ///< Grants by member; empty: still open.
};

/// What a group asks of a cluster.
struct PlainGang {
    const PlainCluster& cluster;
    const sim::Job& job;
    core::Members size = 0;
    core::NumFit rule = core::NumFit::aggregate;
    PlainCounts running{};  ///< Members that already run there and stay.

    [[nodiscard]] const core::LevelConstraint& constraint(core::Level level) const {
        return job.constraints->at(level);
    }
};

/// The greedy algorithm of the published program, as its rules are stated.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021), Algorithm 1.
[[nodiscard]] PlainPlaces place_greedily(const PlainGang& group);

/// The best of all ways to place the members, tried one by one: as many members as the constraints
/// allow, at the least cost, with the fewest members on later nodes.
[[nodiscard]] PlainCounts place_best(const PlainGang& group);

/// The best of all ways to run the group at its new size; absent if there is none.
[[nodiscard]] std::optional<PlainCounts> resize_best(const PlainGang& group);

template <class Counts>
[[nodiscard]] core::Members count_of(const Counts& counts) {
    core::Members sum = 0;
    for (const auto& [node, count] : counts) {
        sum += count;
    }
    return sum;
}

}  // namespace berth::tests
