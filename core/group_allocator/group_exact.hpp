#pragma once

#include <optional>
#include <vector>

#include "core/group_allocator/group_allocator.hpp"
#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/grouped_request.hpp"

namespace berth::core {

/// Solves a container's requests as an assignment problem: each innermost group that is asked for
/// is alone in its outer groups, and no location has room for two of them. Then the best allocation
/// is a matching of greatest weight between requests and locations.
///
/// Returns: for each demand, the resource that serves it; an empty list if not all requests find a
///          location; nothing if the requests are not an assignment problem.
/// Cost:    O((requests + locations)^3).
/// Source:  Galil, "Efficient algorithms for finding maximum matching in graphs" (1986), as in
///          Boost.Graph's maximum_weighted_matching.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> assign_groups(const GroupTree& tree,
                                                                      const GroupState& root,
                                                                      const GroupedRequest& request,
                                                                      bool init);

/// What an exhaustive search found.
struct ExactGroupFit {
    GroupFit fit;
    /// Nothing better exists; false if the search was given up and the result is that of the greedy
    /// search.
    bool proven = true;
};

/// Finds an allocation whenever one exists, namely the one that scores best and, of equally good
/// ones, the one that leaves groups as full as possible, so that others stay whole.
///
/// Capacity is what the rules charge a pod with, where an init container's requests are summed. All
/// states that the requests so far can lead to are kept, and states that differ only in the names
/// of equal siblings are kept once. If they become too many and every request goes to a location of
/// its own, the requests are solved as an assignment problem.
///
/// Cost:  O(distinct states x requests x distinct siblings), up to `exact_states_max`; a machine of
///        eight GPUs has some hundreds of states, usually far fewer.
/// Order: the result is a function of the machine's state and the pod.
[[nodiscard]] ExactGroupFit fit_exact(const GroupTree& tree,
                                      const GroupState& state,
                                      const GroupPod& pod,
                                      const GroupRules& rules);

inline constexpr std::size_t exact_states_max = 200'000;

}  // namespace berth::core
