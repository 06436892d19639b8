#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// Members by server.
using PlainCounts = std::map<core::NodeId, core::Members>;
/// The same in the order in which they were placed.
struct PlainPlaces : std::vector<std::pair<core::NodeId, core::Members>> {
    using vector::vector;
    std::vector<PlainGrant> grants;  ///< By member, if a plan has found any; else it is open.
};

/// What a group asks of a cluster.
struct PlainGang {
    const PlainCluster& cluster;
    const sim::Job& job;
    core::Members size = 0;
    core::NumFit rule = core::NumFit::aggregate;
    PlainCounts running{};  ///< Members that already sit there, and stay.

    [[nodiscard]] const core::LevelConstraint& constraint(core::Level level) const {
        return job.constraints->at(level);
    }
};

/// The greedy of the published program, as its rules are told.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021), Algorithm 1.
[[nodiscard]] PlainPlaces place_greedily(const PlainGang& group);

/// The best of all ways to place them, looked at one by one: as many as can be under the
/// constraints; at the least cost; with the fewest members on later nodes.
[[nodiscard]] PlainCounts place_best(const PlainGang& group);

/// The best of all ways to have the running group at its new size; nothing where there is none.
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
