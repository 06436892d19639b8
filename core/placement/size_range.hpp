#pragma once

#include <algorithm>
#include <cstdint>

#include "core/placement/level_constraints.hpp"
#include "core/support/assert.hpp"

namespace berth::core {

/// How many members a node is to take: `desired` if it can, at least `min` or none at all, and a
/// multiple of `factor`.
struct SizeRange {
    Members min = 0;  ///< 0: nothing can be taken.
    Members desired = 0;
    Members max = 0;
    Members factor = 1;
};

// Most groups have no factor, and a division costs more than the rest of a visit.
inline Members round_up(Members value, Members factor) {
    return factor == 1 ? value : (value + factor - 1) / factor * factor;
}
inline Members round_down(Members value, Members factor) {
    return factor == 1 ? value : value / factor * factor;
}

/// Rounds to the nearest whole number, halves up. The published program calls it CeilDivide.
inline Members even_share(Members members, std::int64_t shares) {
    BERTH_ASSERT(shares > 0, "somebody gets a share");
    const Members rest = members % shares;
    return std::max<Members>(1, members / shares + (rest >= shares - rest ? 1 : 0));
}

/// The same as size_range(), for a soft constraint with a range, partitions or a factor.
[[nodiscard]] SizeRange size_range_with_options(const LevelConstraint& constraint,
                                                Members members,
                                                std::int64_t siblings,
                                                std::int64_t used);

/// The range of members that a node of the constraint's level may take.
///
/// Shape:  `members` are shared by this node and the siblings after it, which are `siblings` nodes
///         in all; `used` siblings before it took members.
/// Source: the published placement-group program (IBM chic-sched), checked by vectors.
[[nodiscard]] inline SizeRange size_range(const LevelConstraint& constraint,
                                          Members members,
                                          std::int64_t siblings,
                                          std::int64_t used) {
    SizeRange range;
    if (members <= 0 || siblings <= 0) {
        return range;
    }
    const bool pack = constraint.affinity == Affinity::pack;
    if (!constraint.hard &&
        (constraint.range || constraint.partitions > 0 || constraint.factor > 1)) {
        return size_range_with_options(constraint, members, siblings, used);
    }
    range.min = pack && constraint.hard ? members : 1;
    range.max = pack || !constraint.hard ? members : 1;
    range.desired = pack ? members : constraint.hard ? 1 : even_share(members, siblings);
    return range;
}

/// How many members a node takes if `fit` of them fit on it.
[[nodiscard]] inline Members choose(const SizeRange& range, Members fit) {
    if (fit < range.min) {
        return 0;
    }
    return std::min({round_down(fit, range.factor), range.max, range.desired});
}

/// The least fit with which a child takes any of `members`.
[[nodiscard]] inline Members least_useful_fit(const LevelConstraint& constraint, Members members) {
    if (constraint.hard) {
        return constraint.affinity == Affinity::pack ? members : 1;
    }
    return round_up(constraint.range ? constraint.range->min : 1, constraint.factor);
}

}  // namespace berth::core
