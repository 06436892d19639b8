#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::experiments {

/// A tree with the same number of children at every node of a level, below a root `cluster`.
[[nodiscard]] std::shared_ptr<const core::Topology> uniform_tree(
    const std::vector<std::pair<std::string, std::uint32_t>>& levels,
    const std::vector<std::pair<std::string, core::Amount>>& capacity);

}  // namespace berth::experiments
