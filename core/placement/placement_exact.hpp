#pragma once

#include <vector>

#include "core/placement/placement_group.hpp"

namespace berth::core {

/// Places a group so that all stated constraints hold, if that is possible; otherwise places as
/// many members as possible under them.
///
/// Shape:   `claimed` are members that already sit on servers, in the order of the tree; they stay.
/// Returns: the best placement of that many members: the one that uses the fewest nodes at the
///          packed levels and has the most even counts (least sum of squares) at the spread levels,
///          level by level from the top; of equal ones the one with more members on earlier nodes.
///          Empty if nothing can be placed, or if the claimed members break a constraint.
/// Cost:    O(servers that fit x size x size) time at worst, and memory of 136 bytes for each node
///          and each count that it can take. This is polynomial, unlike the placement of unequal
///          members.
/// Source:  a knapsack over the tree: the counts that a subtree can take, each with its lowest
///          cost, are the min-plus sum over its children (docs/decisions/0005-exact-placement.md).
///          A hard pack is read as "relative": one node under each used parent; Scope::group asks
///          for one node in all.
[[nodiscard]] LogicalTree place_exact(const GroupRequest& group,
                                      const FitIndex& fits,
                                      const std::vector<PlacedNode>& claimed = {});

/// Grows or shrinks a placed group to `group.size` members: chooses which members to add or to
/// remove so that the constraints hold best. No member moves from one server to another.
///
/// Shape:   `placed` are the group's members by server, in the order of the tree.
/// Returns: the new logical tree. It satisfies all constraints if possible, and otherwise breaks
///          them as little as possible (surplus members and nodes, summed over all levels); ties
///          are decided as by place_exact(). The group grows by less than asked for if the servers
///          hold no more.
[[nodiscard]] LogicalTree resize_group(const GroupRequest& group,
                                       const FitIndex& fits,
                                       const std::vector<PlacedNode>& placed);

}  // namespace berth::core
