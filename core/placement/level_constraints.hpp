#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/logical_tree.hpp"
#include "core/tree/topology.hpp"

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
    [[nodiscard]] const LevelConstraint& at(Level level) const {
        BERTH_AUDIT(level.index < by_level_.size(), "a level is one of the tree's");
        return by_level_[level.index];
    }
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

}  // namespace berth::core
