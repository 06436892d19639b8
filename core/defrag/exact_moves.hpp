#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/defrag/move_problem.hpp"
#include "core/defrag/room_state.hpp"

namespace berth::core {

/// When a search over all sequences of moves ends before it has looked at everything.
struct SearchLimits {
    /// How many states it keeps, of some hundred bytes each; 0: it does not search.
    std::uint64_t states_max = 100'000;
    const std::atomic<bool>* stop = nullptr;  ///< Ends the search soon, once it is set.
};

/// What a search over all sequences of moves found.
struct ExactMoves {
    /// The best moves; nothing if none are better than what was known before.
    std::optional<std::vector<PodMove>> moves;
    bool complete = false;  ///< Whether the search looked at everything, so that no plan is better.
    MoveCost bound;         ///< A plan that is better than the known one costs at least this.
    std::int64_t bound_has =
        0;  ///< If the goal is `most`, no plan makes room for more pods than this.
    std::uint64_t states = 0;
};

/// Searches for the best plan among all sequences of moves: a pod may move more than once. States
/// in which the same pods stand at the same places, and the same pods have moved, are looked at
/// once; a state is left out if what it costs at least (`least_cost`, `most_value`) is no better
/// than `known`.
///
/// Cost: exponential in the pods that need to move, up to the limits.
[[nodiscard]] ExactMoves exact_moves(const RoomState& start,
                                     const std::optional<RoomState>& known,
                                     const SearchLimits& limits);

}  // namespace berth::core
