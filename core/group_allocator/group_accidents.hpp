#pragma once

#include <span>

#include "core/group_allocator/group_search.hpp"

namespace berth::core {

// What the published program does beside the document, as far as it is more than a comparison:
// GroupRules says when each applies.

/// The amounts of `before` with the marks of `after` inside, and the location's own as `used`: a
/// rejected location is given back, but what was taken inside it in the course of the search stays
/// marked.
[[nodiscard]] const GroupState* keep_marks(const GroupState& before,
                                           const GroupState& after,
                                           bool used,
                                           GroupStateMaker& maker);

/// Charges `before` anew with all that is placed there at once, where `after` was charged step by
/// step; marks as in `after`. For an init container the two differ: the sum, or the maximum.
[[nodiscard]] const GroupState* charge_summed(const GroupedRequest& request,
                                              std::span<const PlacedPart> placed,
                                              const GroupState& before,
                                              const GroupState& after,
                                              GroupStateMaker& maker);

/// Runs the scorers over what nothing is asked of.
[[nodiscard]] const GroupState* settle(const GroupState& state, bool init, GroupStateMaker& maker);

}  // namespace berth::core
