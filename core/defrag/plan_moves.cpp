#include "core/defrag/plan_moves.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "core/defrag/exact_moves.hpp"
#include "core/defrag/greedy_moves.hpp"
#include "core/defrag/removal.hpp"
#include "core/defrag/room_state.hpp"

namespace berth::core {
namespace {

RoomState after(const RoomState& start, const std::vector<PodMove>& moves) {
    RoomState state = start;
    for (const PodMove& move : moves) {
        state.move(move.pod, move.to);
    }
    return state;
}

void adopt(MovePlan& plan, const RoomState& state) {
    plan.moves = state.moves();
    plan.cost = state.cost();
    plan.has = state.value();
    plan.reached =
        state.problem().goal.kind == RoomGoal::Kind::most ? plan.has > plan.had : state.reached();
}

}  // namespace

MovePlan plan_moves(const MoveProblem& problem, const SearchLimits& limits) {
    const RoomState start(problem);
    const bool most = problem.goal.kind == RoomGoal::Kind::most;
    MovePlan plan;
    plan.had = start.value();
    plan.has = plan.had;
    plan.bound = least_cost(start);
    plan.bound_has = most ? most_value(start) : 0;
    if (start.reached() || !plan.bound || (most && plan.bound_has == plan.had)) {
        plan.reached = start.reached();
        plan.best = true;
        return plan;
    }
    std::optional<RoomState> known;
    if (const auto moves = greedy_moves(start)) {
        known = after(start, *moves);
        adopt(plan, *known);
    }
    if (limits.states_max > 0 && problem.servers() <= exact_servers_max) {
        const ExactMoves exact = exact_moves(start, known, limits);
        plan.states = exact.states;
        if (exact.moves) {
            adopt(plan, after(start, *exact.moves));
        }
        plan.bound =
            exact.complete && !plan.reached && !most ? std::nullopt : std::optional(exact.bound);
        plan.bound_has = most ? exact.bound_has : 0;
        plan.best = exact.complete;
    }
    if (plan.reached &&
        (most ? plan.has == plan.bound_has && plan.best : plan.cost == *plan.bound)) {
        plan.best = true;
    }
    return plan;
}

}  // namespace berth::core
