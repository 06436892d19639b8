#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/allocation_candidates/tree_search.hpp"

namespace berth::core {

/// Whether every part can be given one of its providers, none of which takes more parts than
/// `places` says. Capacity rules out a tree that fails this before anything of it is enumerated.
///
/// Cost: O(parts^2 x options); augmenting paths, as for a bipartite matching.
[[nodiscard]] bool all_parts_find_places(std::span<const std::size_t> parts,
                                         std::span<const std::vector<CandidateOption>> options,
                                         const std::function<std::uint64_t(ProviderIndex)>& places);

}  // namespace berth::core
