#pragma once

#include "core/defrag/exact_moves.hpp"
#include "core/defrag/move_problem.hpp"

namespace berth::core {

/// A plan of moves that reaches the problem's goal at the least cost that it finds: greedy_moves()
/// first, then, for at most 64 servers, exact_moves().
///
/// Errors: none; a goal that is not reached is a plan without moves.
/// Order:  the same plan for the same problem, on every machine.
/// Cost:   with 0 states, that of greedy_moves().
[[nodiscard]] MovePlan plan_moves(const MoveProblem& problem, const SearchLimits& limits);

}  // namespace berth::core
