#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fit_index.hpp"
#include "core/ids.hpp"
#include "core/logical_tree.hpp"

namespace berth::core {

enum class Affinity : std::uint8_t { pack, spread };

/// What a hard pack asks: all members of one parent, or of the whole group, in one node.
enum class Scope : std::uint8_t { parent, group };

/// How the members of a group shall be distributed over the nodes of one level.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021),
///         "Level constraint"; the options as in the published program (IBM chic-sched).
struct LevelConstraint {
    struct Range {
        Members min = 1;
        Members max = 1;
    };
    Affinity affinity = Affinity::pack;
    bool hard = false;
    std::optional<Range> range;    ///< Members in each used node; soft constraints only.
    std::uint32_t partitions = 0;  ///< Used nodes under each parent; 0: any number. Soft only.
    Members factor = 1;            ///< Members of a used node are a multiple of this. Soft only.
    Scope scope = Scope::parent;   ///< Of a pack.
};

/// The constraints of a group, one a level; a level without one packs softly.
class LevelConstraints {
public:
    explicit LevelConstraints(std::size_t levels) : by_level_(levels), stated_(levels, false) {}
    [[nodiscard]] const LevelConstraint& at(Level level) const { return by_level_[level.index]; }
    /// Whether the level has a constraint of its own, and not the default.
    [[nodiscard]] bool stated(Level level) const { return stated_[level.index]; }
    [[nodiscard]] std::uint32_t level_count() const {
        return static_cast<std::uint32_t>(by_level_.size());
    }
    /// Replaces the level's constraint. What the published program ignores is dropped: options of
    /// a hard constraint, a range without 0 < min <= max, a factor below 1.
    void set(Level level, LevelConstraint constraint);

private:
    std::vector<LevelConstraint> by_level_;
    std::vector<bool> stated_;
};

/// A group to place: so many equal members, the demand being the FitIndex's.
struct GroupRequest {
    Members size = 0;
    LevelConstraints constraints;
};

/// Whether the constraint of `level` holds, a soft one too: for a pack, that each used parent (or
/// with Scope::group, the group) uses one node of the level; for a hard spread, at most one member
/// a node; for a soft one, that the counts of a parent's used nodes are at most one apart; and in
/// each case the range, the factor and the number of partitions.
[[nodiscard]] bool constraint_met(const LogicalTree& placement,
                                  const GroupRequest& group,
                                  Level level,
                                  const Topology& topology);

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
    /// Places a group of which nothing runs yet. `fits` must be caught up.
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

    std::vector<std::uint64_t> keys_;  ///< A stack of child lists, one a level of the descent.
    std::uint64_t visits_ = 0;
};

}  // namespace berth::core
