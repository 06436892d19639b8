#pragma once

#include <cstdint>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/placement/level_constraints.hpp"
#include "core/tree/logical_tree.hpp"

namespace berth::core {

/// Places a group by recursive descent: the greedy of the paper and of the published program,
/// which differ in the FitIndex's rule alone.
///
/// Returns: possibly fewer members than asked for, and none at all; see LogicalTree::placed().
/// Cost:    O(nodes visited), where a node is visited if it can take a member and is tried before
///          the group is complete; wide nodes give their children in order without sorting.
/// Order:   equal fits in the order of the tree.
/// Source:  Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021),
///          Algorithm 1; the published program (IBM chic-sched), checked by vectors.
/// Limits:  misses some feasible groups; place_exact() does not.
class GroupPlacer {
public:
    /// Places a group that has no running members yet. `fits` must be caught up.
    [[nodiscard]] LogicalTree place(const GroupRequest& group, const FitIndex& fits);

    /// Places the rest of a group of which `claimed` members already sit on servers, their demand
    /// claimed in the ledger. `claimed` is in the order of the tree, and no more than the size.
    /// Limits: as in the published program the result may drop claimed members, or break a
    ///         constraint that they break.
    [[nodiscard]] LogicalTree place_rest(const GroupRequest& group,
                                         const FitIndex& fits,
                                         const std::vector<PlacedNode>& claimed);

    /// Nodes visited so far.
    [[nodiscard]] std::uint64_t visits() const { return visits_; }

private:
    struct Descent;
    LogicalTree descend(const GroupRequest& group,
                        const FitIndex& fits,
                        const std::vector<PlacedNode>* claimed);

    // What a descent works with, kept for the next one.
    std::vector<std::uint64_t> keys_;    ///< A stack of child lists, one a level of the descent.
    std::vector<std::uint64_t> of_fit_;  ///< By level and fit: a set of children. All empty.
    LogicalTree placed_;
    std::uint64_t visits_ = 0;
};

}  // namespace berth::core
