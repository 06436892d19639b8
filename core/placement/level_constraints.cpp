#include "core/placement/level_constraints.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

void LevelConstraints::set(Level level, LevelConstraint constraint) {
    BERTH_ASSERT(level.index < by_level_.size(), "a level is one of the tree's");
    const auto& range = constraint.range;
    if (constraint.hard || (range && (range->min <= 0 || range->max < range->min))) {
        constraint.range.reset();
    }
    if (constraint.hard) {
        constraint.partitions = 0;
    }
    if (constraint.hard || constraint.factor < 1) {
        constraint.factor = 1;
    }
    by_level_[level.index] = constraint;
    stated_[level.index] = true;
}

namespace {

struct UsedChildren {
    NodeId parent;
    std::uint32_t count = 0;
    Members least = 0;
    Members most = 0;
};

std::vector<UsedChildren> used_children(const LogicalTree& placement,
                                        Level level,
                                        const Topology& topology) {
    std::vector<UsedChildren> parents;
    for (const PlacedNode& node : placement.nodes) {
        if (topology.level_of(node.node) != level) {
            continue;
        }
        const NodeId parent = node.node == topology.root() ? node.node : topology.parent(node.node);
        if (parents.empty() || parents.back().parent != parent) {
            parents.push_back({parent, 0, node.count, node.count});
        }
        UsedChildren& used = parents.back();
        BERTH_AUDIT(node.count > 0, "a used node has members");
        ++used.count;
        used.least = std::min(used.least, node.count);
        used.most = std::max(used.most, node.count);
    }
    return parents;
}

}  // namespace

bool constraint_met(const LogicalTree& placement,
                    const GroupRequest& group,
                    Level level,
                    const Topology& topology) {
    BERTH_ASSERT(group.constraints.level_count() == topology.level_count(),
                 "a group has a constraint for each level of the tree");
    const LevelConstraint& constraint = group.constraints.at(level);
    const bool pack = constraint.affinity == Affinity::pack;
    const std::vector<UsedChildren> parents = used_children(placement, level, topology);
    if (pack && constraint.scope == Scope::group && parents.size() > 1) {
        return false;
    }
    const bool multiples = std::ranges::all_of(placement.nodes, [&](const PlacedNode& node) {
        return node.count % constraint.factor == 0 || topology.level_of(node.node) != level;
    });
    return multiples && std::ranges::all_of(parents, [&](const UsedChildren& used) {
               if (constraint.partitions > 0 && used.count != constraint.partitions) {
                   return false;
               }
               if (constraint.range) {
                   return constraint.range->min <= used.least && used.most <= constraint.range->max;
               }
               if (pack) {
                   return used.count == 1 || constraint.partitions > 0;
               }
               return used.most <= (constraint.hard ? 1 : used.least + constraint.factor);
           });
}

}  // namespace berth::core
