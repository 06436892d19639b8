#pragma once

#include <cstdint>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/placement/level_constraints.hpp"
#include "core/tree/logical_tree.hpp"

namespace berth::core {

/// Places a group by recursive descent: the greedy algorithm of the paper and of the published
/// program, which differ only in the rule of the FitIndex.
///
/// Returns: the placement, possibly of fewer members than asked for or of none; see
///          LogicalTree::placed().
/// Cost:    O(nodes visited), where a node is visited if it can take a member and is tried before
///          the group is complete; wide nodes give their children in order without sorting.
/// Order:   nodes of equal fit are tried in the order of the tree.
/// Source:  Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021), Algorithm 1; the
///          published program (IBM chic-sched), checked by vectors.
/// Limits:  it misses some feasible groups; place_exact() does not.
class GroupPlacer {
public:
    /// Places a group that has no running members yet. `fits` must be caught up.
    [[nodiscard]] LogicalTree place(const GroupRequest& group, const FitIndex& fits);

    /// Places the rest of a group. Its `claimed` members already sit on servers, and their demand
    /// is claimed in the ledger. `claimed` is in the order of the tree and has no more members than
    /// the group.
    /// Limits: as in the published program, the result may drop claimed members, or break a
    ///         constraint that they already break.
    [[nodiscard]] LogicalTree place_rest(const GroupRequest& group,
                                         const FitIndex& fits,
                                         const std::vector<PlacedNode>& claimed);

    /// The number of nodes visited so far.
    [[nodiscard]] std::uint64_t visits() const { return visits_; }

private:
    struct Descent;
    LogicalTree descend(const GroupRequest& group,
                        const FitIndex& fits,
                        const std::vector<PlacedNode>* claimed);

    // What a descent works with, kept for the next descent.

    /// A stack of child lists, one for each level of the descent.
    std::vector<std::uint64_t> keys_;
    /// A set of children for each level and fit. All are empty between nodes.
    std::vector<std::uint64_t> of_fit_;
    LogicalTree placed_;
    std::uint64_t visits_ = 0;
};

}  // namespace berth::core
