#pragma once

#include <optional>
#include <vector>

#include "core/defrag/move_problem.hpp"
#include "core/defrag/room_state.hpp"

namespace berth::core {

/// Moves that reach the goal, or, for `most`, that make room for more pods; found server by server
/// (or domain by domain), the cheapest first. A pod that leaves goes where it takes the least from
/// the goal and leaves the least free; if no server has room for it, one other pod makes room.
///
/// Returns: the moves in order; nothing if none were found, though there may be some.
/// Cost:    O(servers x resources) for each move, in addition to removals() of each server.
[[nodiscard]] std::optional<std::vector<PodMove>> greedy_moves(const RoomState& start);

}  // namespace berth::core
