#pragma once

#include <vector>

#include "core/placement/placement_group.hpp"

namespace berth::core {

/// Places a group so that all stated constraints hold, whenever that is possible; otherwise as
/// many members as can be placed under them.
///
/// Shape:   `claimed` are members that already sit on servers, in the order of the tree; they stay.
/// Returns: among the placements of that many members the one that uses the fewest nodes at the
///          packed levels and has the most even counts (least sum of squares) at the spread
///          levels, level by level from the top; then the one with more members on earlier nodes.
///          Empty when nothing can be placed, or what is claimed breaks a constraint.
/// Cost:    O(servers that fit x size x size) time at worst, and a cost of 136 bytes for each node
///          and each count that it can take: polynomial, unlike the placement of unequal members.
/// Source:  a knapsack over the tree: for each subtree the counts that it can take,
///          each with its cheapest cost, are the min-plus sum of its children's
///          (docs/decisions/0005-exact-placement.md). "Relative" reading of a hard pack:
///          one node under each used parent; Scope::group asks for one node in all.
[[nodiscard]] LogicalTree place_exact(const GroupRequest& group,
                                      const FitIndex& fits,
                                      const std::vector<PlacedNode>& claimed = {});

/// Grows or shrinks a placed group to `group.size` members: chooses which to add, or which to
/// remove, so that the constraints hold best. Nothing moves from one server to another.
///
/// Shape:   `placed` are its members by server, in the order of the tree.
/// Returns: the new logical tree: under all constraints if possible, then breaking them as little
///          as possible (members and nodes too many, summed over all levels), then as
///          place_exact(). Grown by less than asked for where the servers hold no more.
[[nodiscard]] LogicalTree resize_group(const GroupRequest& group,
                                       const FitIndex& fits,
                                       const std::vector<PlacedNode>& placed);

}  // namespace berth::core
