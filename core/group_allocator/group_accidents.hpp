#pragma once

#include <span>

#include "core/group_allocator/group_search.hpp"

namespace berth::core {

// What the published program does in addition to the document, if it is more than a comparison.
// GroupRules says when each of these applies.

/// The amounts of `before` with the marks that `after` has inside, and `used` as the location's own
/// mark. A rejected location is given back, but what the search took inside it stays marked.
[[nodiscard]] const GroupState* keep_marks(const GroupState& before,
                                           const GroupState& after,
                                           bool used,
                                           GroupStateMaker& maker);

/// Charges `before` anew with everything that is placed there at once, where `after` was charged
/// step by step. The marks are those of `after`. For an init container the two differ: one is the
/// sum, the other the maximum.
[[nodiscard]] const GroupState* charge_summed(const GroupedRequest& request,
                                              std::span<const PlacedPart> placed,
                                              const GroupState& before,
                                              const GroupState& after,
                                              GroupStateMaker& maker);

/// Runs the scorers over resources that no request asks for.
[[nodiscard]] const GroupState* settle(const GroupState& state, bool init, GroupStateMaker& maker);

}  // namespace berth::core
