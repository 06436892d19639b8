#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core::kueue {

/// The values of a leaf's levels, from the highest down.
using DomainPath = std::vector<std::string>;

/// The tree of a topology's domains: one leaf for each path, with siblings in the order of their
/// values. `paths` are in order and distinct. `type_of_leaf` has indices into `types`.
[[nodiscard]] Topology make_domain_tree(const ResourceSchema& resources,
                                        std::span<const std::string> levels,
                                        std::span<const DomainPath> paths,
                                        std::vector<MachineType> types,
                                        std::span<const std::uint32_t> type_of_leaf);

}  // namespace berth::core::kueue
