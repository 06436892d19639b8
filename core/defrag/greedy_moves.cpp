#include "core/defrag/greedy_moves.hpp"

#include <algorithm>
#include <utility>

#include "core/defrag/filling.hpp"
#include "core/defrag/relocation.hpp"
#include "core/defrag/removal.hpp"

namespace berth::core {
namespace {

using Kind = RoomGoal::Kind;

constexpr std::uint32_t starts_max = 6;  ///< How many domains are tried as the first one.

/// The servers of each domain, in order; without those where the goal's pods may not run.
std::vector<std::vector<std::uint32_t>> servers_by_domain(const MoveProblem& problem) {
    const RoomGoal& goal = problem.goal;
    std::vector<std::vector<std::uint32_t>> servers(goal.domains);
    for (std::uint32_t server = 0; server < problem.servers(); ++server) {
        if (goal.domain[server] != RoomGoal::no_domain &&
            (goal.kind == Kind::whole || goal.servers[server])) {
            servers[goal.domain[server]].push_back(server);
        }
    }
    return servers;
}

/// Clears domains, the cheapest first, until enough are whole.
bool clear_domains(RoomState& state,
                   const std::vector<std::vector<std::uint32_t>>& servers,
                   std::optional<std::uint32_t> first) {
    Relocation relocation(state);
    std::vector<std::pair<MoveCost, std::uint32_t>> order;
    const auto costs = least_clearings(state);
    for (std::uint32_t domain = 0; domain < costs.size(); ++domain) {
        if (costs[domain]) {
            order.emplace_back(first == domain ? MoveCost{-1, 0} : *costs[domain], domain);
        }
    }
    std::ranges::sort(order);
    bool reached = state.reached();
    for (const auto& [cost, domain] : order) {
        if (reached) {
            return true;
        }
        std::vector<std::uint32_t> pods;
        for (const std::uint32_t server : servers[domain]) {
            relocation.close(server, true);
            for (const std::uint32_t pod : state.pods_on(server)) {
                if (state.is_in_the_way(pod)) {
                    pods.push_back(pod);
                }
            }
        }
        if (relocation.move_all(pods)) {
            reached = state.reached();
            continue;
        }
        for (const std::uint32_t server : servers[domain]) {
            relocation.close(server, false);
        }
    }
    return reached;
}

/// These moves without the one at `left_out`, from where the pods are then and to the devices that
/// they get then; nothing if they are no longer possible, or reach less than `value`.
std::optional<std::vector<PodMove>> moves_without(std::size_t left_out,
                                                  const std::vector<PodMove>& moves,
                                                  const RoomState& start,
                                                  std::int64_t value) {
    RoomState state = start;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const PodMove& move = moves[i];
        if (i == left_out) {
            continue;
        }
        if (!state.may_move(move.pod) || !state.fits(move.pod, move.to)) {
            return std::nullopt;
        }
        state.move(move.pod, move.to);
    }
    return state.value() >= value ? std::optional(state.moves()) : std::nullopt;
}

/// Leaves out moves without which the others reach as much.
std::vector<PodMove> without_needless(const RoomState& start, std::vector<PodMove> moves) {
    constexpr std::size_t moves_max = 100;
    RoomState end = start;
    for (const PodMove& move : moves) {
        end.move(move.pod, move.to);
    }
    const RoomGoal& goal = start.problem().goal;
    const std::int64_t value =
        goal.kind == Kind::most ? end.value() : std::min(goal.count, end.value());
    for (std::size_t i = moves.size(); i-- > 0 && moves.size() <= moves_max;) {
        if (auto fewer = moves_without(i, moves, start, value)) {
            moves = *std::move(fewer);
        }
    }
    return moves;
}

/// The best plan so far.
struct Best {
    void offer(const RoomState& state) {
        const std::int64_t now = state.value();
        const bool most = state.problem().goal.kind == Kind::most;
        if (!moves || (most && now > value) || ((!most || now == value) && state.cost() < *cost)) {
            moves = state.moves();
            cost = state.cost();
            value = now;
        }
    }

    std::optional<std::vector<PodMove>> moves{};
    std::optional<MoveCost> cost{};
    std::int64_t value = 0;
};

/// Fills one domain, or all of them, in several orders.
void fill(RoomState& state,
          Relocation& relocation,
          const std::vector<std::uint32_t>& servers,
          Best& best) {
    constexpr std::uint32_t servers_max = 200;  // where starting again costs little
    const bool most = state.problem().goal.kind == Kind::most;
    std::vector<std::size_t> firsts;
    {
        Filling filling(state, relocation, servers);
        if (state.problem().servers() <= servers_max) {
            firsts = filling.first_servers();
        }
        if (filling.run(std::nullopt, best.cost)) {
            best.offer(state);
        }
        state.undo_to(0);
    }
    for (const std::size_t first : firsts) {
        Filling filling(state, relocation, servers);
        if (filling.run(first, most ? std::nullopt : best.cost)) {
            best.offer(state);
        }
        state.undo_to(0);
    }
}

/// Makes room for pods of the goal's shape, below each domain in turn, or wherever it counts.
void fill_domains(RoomState& state,
                  const std::vector<std::vector<std::uint32_t>>& servers,
                  Best& best) {
    const RoomGoal& goal = state.problem().goal;
    Relocation relocation(state);
    if (goal.kind == Kind::most) {
        std::vector<std::uint32_t> all;
        for (const std::vector<std::uint32_t>& some : servers) {
            all.insert(all.end(), some.begin(), some.end());
        }
        std::ranges::sort(all);
        fill(state, relocation, all, best);
        return;
    }
    for (std::uint32_t domain = 0; domain < goal.domains; ++domain) {
        std::vector<bool> counts(goal.domains, false);
        counts[domain] = true;
        relocation.set_counts(std::move(counts));
        fill(state, relocation, servers[domain], best);
    }
}

}  // namespace

std::optional<std::vector<PodMove>> greedy_moves(const RoomState& start) {
    const RoomGoal& goal = start.problem().goal;
    const auto servers = servers_by_domain(start.problem());
    RoomState state = start;
    Best best;
    if (goal.kind == Kind::whole) {
        for (std::uint32_t first = 0; first <= std::min<std::uint32_t>(goal.domains, starts_max);
             ++first) {
            if (clear_domains(
                    state, servers, first == 0 ? std::nullopt : std::optional(first - 1))) {
                best.offer(state);
            }
            state.undo_to(0);
        }
    } else {
        fill_domains(state, servers, best);
    }
    if (best.moves) {
        best.moves = without_needless(start, std::move(*best.moves));
    }
    return best.moves;
}

}  // namespace berth::core
