#include "core/placement/size_range.hpp"

#include "core/support/assert.hpp"

namespace berth::core {

SizeRange size_range_with_options(const LevelConstraint& constraint,
                                  Members members,
                                  std::int64_t siblings,
                                  std::int64_t used) {
    BERTH_ASSERT(!constraint.hard && constraint.factor >= 1, "a hard constraint has no options");
    BERTH_ASSERT(!constraint.range ||
                     (constraint.range->min > 0 && constraint.range->min <= constraint.range->max),
                 "a range that holds nothing was dropped");
    const bool pack = constraint.affinity == Affinity::pack;
    std::int64_t partitions_left = -1;
    if (constraint.partitions > 0) {
        partitions_left = static_cast<std::int64_t>(constraint.partitions) - used;
        if (partitions_left <= 0 || partitions_left > siblings) {
            return {};
        }
    }
    const Members lowest = constraint.range ? constraint.range->min : 1;
    const Members leave = partitions_left > 1 ? (partitions_left - 1) * lowest : 0;
    if (members < lowest + leave) {
        return {};
    }
    const Members share = even_share(members, partitions_left > 0 ? partitions_left : siblings);
    SizeRange range{lowest, 0, 0, constraint.factor};
    if (constraint.range) {
        range.max = constraint.range->max;
        range.desired = pack ? std::min(members - leave, range.max)
                             : std::min(std::max(share, lowest), range.max);
    } else {
        range.max = pack ? members - leave : members;
        range.desired = pack ? members - leave : share;
    }
    if (range.factor > 1) {
        range.min = round_up(range.min, range.factor);
        range.desired = round_down(range.desired, range.factor);
        range.max = round_down(range.max, range.factor);
        if (range.min > range.desired || range.desired > range.max) {
            return {};
        }
    }
    return range;
}

}  // namespace berth::core
