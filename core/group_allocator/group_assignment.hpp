#pragma once

#include <optional>
#include <vector>

#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/grouped_request.hpp"

namespace berth::core {

/// A container's requests as an assignment problem: each innermost group asked for stands alone in
/// its outer ones, and no location has room for two of them. Then the best allocation is a matching
/// of greatest weight between requests and locations.
///
/// Returns: by demand, the resource that serves it; an empty list when not all requests find a
///          location; nothing when the requests are no assignment problem.
/// Cost:    O((requests + locations)^3).
/// Source:  Galil, "Efficient algorithms for finding maximum matching in graphs" (1986), as in
///          Boost.Graph's maximum_weighted_matching.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> assign_groups(const GroupTree& tree,
                                                                      const GroupState& root,
                                                                      const GroupedRequest& request,
                                                                      bool init);

}  // namespace berth::core
