#pragma once

#include <cstdint>

#include "core/defrag/exact_moves.hpp"
#include "core/defrag/move_problem.hpp"

namespace berth::core {

/// Clusters of more servers are not searched for the best plan.
inline constexpr std::uint32_t exact_servers_max = 64;

/// A plan of moves that reaches the problem's goal at the least cost that it finds: greedy_moves()
/// first, then, for at most `exact_servers_max` servers, exact_moves().
///
/// Errors: none; a goal that is not reached is a plan without moves.
/// Order:  the same plan for the same problem, on every machine.
/// Cost:   with 0 states, that of greedy_moves().
[[nodiscard]] MovePlan plan_moves(const MoveProblem& problem, const SearchLimits& limits);

}  // namespace berth::core
