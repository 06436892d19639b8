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

/// What a hard pack puts into one node: all members of one parent, or those of the whole group.
enum class Scope : std::uint8_t { parent, group };

/// How the members of a group are to be distributed over the nodes of one level.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021),
///         "Level constraint"; the options as in the published program (IBM chic-sched).
struct LevelConstraint {
    struct Range {
        Members min = 1;
        Members max = 1;
    };
    Affinity affinity = Affinity::pack;
    bool hard = false;
    /// The number of members in each used node; soft constraints only.
    std::optional<Range> range;
    /// The number of used nodes under each parent; 0: any number. Soft constraints only.
    std::uint32_t partitions = 0;
    /// The members of a used node are a multiple of this. Soft constraints only.
    Members factor = 1;
    Scope scope = Scope::parent;  ///< Counts for packs only.
};

/// The constraints of a group, one for each level. A level without a stated constraint packs
/// softly.
class LevelConstraints {
public:
    explicit LevelConstraints(std::size_t levels) : by_level_(levels), stated_(levels, false) {}
    [[nodiscard]] const LevelConstraint& at(Level level) const {
        BERTH_AUDIT(level.index < by_level_.size(), "a level is one of the tree's");
        return by_level_[level.index];
    }
    /// Whether the level has a constraint of its own and not the default.
    [[nodiscard]] bool stated(Level level) const { return stated_[level.index]; }
    [[nodiscard]] std::uint32_t level_count() const {
        return static_cast<std::uint32_t>(by_level_.size());
    }
    /// Replaces the constraint of a level. What the published program ignores is dropped: options
    /// of a hard constraint, a range without 0 < min <= max, and a factor below 1.
    void set(Level level, LevelConstraint constraint);

private:
    std::vector<LevelConstraint> by_level_;
    std::vector<bool> stated_;
};

/// A group to place: the number of equal members and its constraints. The demand of a member is
/// that of the FitIndex.
struct GroupRequest {
    Members size = 0;
    LevelConstraints constraints;
};

/// Whether the constraint of `level` holds, even if it is soft. For a pack, each used parent (with
/// Scope::group, the whole group) must use one node of the level; for a hard spread, each node may
/// have at most one member; for a soft spread, the counts of a parent's used nodes must be at most
/// one apart. In each case the range, the factor and the number of partitions must hold too.
[[nodiscard]] bool constraint_met(const LogicalTree& placement,
                                  const GroupRequest& group,
                                  Level level,
                                  const Topology& topology);

}  // namespace berth::core
