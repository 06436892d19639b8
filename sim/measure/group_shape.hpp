#pragma once

#include <vector>

#include "core/placement/placement_group.hpp"

namespace berth::sim {

/// How a placed group lies in the tree.
struct GroupShape {
    /// The nodes of one level that hold members.
    struct AtLevel {
        std::uint32_t used = 0;
        core::Members min = 0;  ///< Smallest number of members in a used node.
        core::Members max = 0;
    };
    std::vector<AtLevel> levels;  ///< One entry per level, the root's level first; all 0 if nothing
                                  ///< is placed.
    /// Mean number of edges between two members, over all pairs; 0 for fewer than two members.
    double mean_distance = 0;
    std::uint32_t max_distance = 0;
};

/// Cost: O(nodes of the logical tree).
[[nodiscard]] GroupShape shape_of(const core::LogicalTree& placement, const core::Topology& tree);

}  // namespace berth::sim
