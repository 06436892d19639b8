#include "sim/measure/group_shape.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

GroupShape shape_of(const core::LogicalTree& placement, const core::Topology& tree) {
    GroupShape shape;
    shape.levels.resize(tree.level_count());
    // Pairs of members under one node of a level are at most that level's distance apart; pairs
    // that meet at the level above but not here are exactly that much further apart.
    std::vector<double> pairs(tree.level_count());
    for (const core::PlacedNode& node : placement.nodes) {
        const std::size_t level = tree.level_of(node.node).index;
        BERTH_ASSERT(node.count > 0, "a used node has members");
        GroupShape::AtLevel& at = shape.levels[level];
        at.min = at.used == 0 ? node.count : std::min(at.min, node.count);
        at.max = std::max(at.max, node.count);
        ++at.used;
        pairs[level] += static_cast<double>(node.count) * static_cast<double>(node.count - 1) / 2;
    }
    const std::size_t servers = tree.level_count() - 1;
    double edges = 0;
    for (std::size_t level = 0; level < servers; ++level) {
        const auto distance = static_cast<std::uint32_t>(2 * (servers - level));
        const double meeting_here = pairs[level] - pairs[level + 1];
        BERTH_ASSERT(meeting_here >= 0, "pairs that meet below a node meet in it");
        edges += meeting_here * distance;
        if (meeting_here > 0) {
            shape.max_distance = std::max(shape.max_distance, distance);
        }
    }
    shape.mean_distance = pairs[0] > 0 ? edges / pairs[0] : 0;
    return shape;
}

}  // namespace berth::sim
