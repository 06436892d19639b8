#pragma once

#include <cstdint>

#include "core/defrag/move_problem.hpp"

namespace berth::core {

/// A plan of moves that reaches the problem's goal at the least cost that it finds: greedy_moves()
/// first, then, for at most 64 servers, exact_moves() with so many states.
///
/// Errors: none; a goal that is not reached is a plan without moves.
/// Order:  the same plan for the same problem, on every machine.
/// Cost:   with 0 states, that of greedy_moves().
[[nodiscard]] MovePlan plan_moves(const MoveProblem& problem, std::uint64_t states_max);

/// How many states are looked at unless the user says otherwise.
inline constexpr std::uint64_t states_by_default = 100'000;

}  // namespace berth::core
