#include "core/defrag/relocation.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace berth::core {
namespace {

constexpr std::size_t others_max = 200;  ///< How many pods are tried that may make room for one.
constexpr std::size_t others_deeper =
    20;  ///< How many are tried that may make room for one of these.

}  // namespace

void Relocation::undo_to(std::size_t moves) {
    while (state_.moves().size() > moves) {
        state_.undo();
    }
}

/// What the goal loses if the pod goes to a server that has room for it.
std::int64_t Relocation::harm(std::uint32_t pod, std::uint32_t server) {
    const RoomGoal& goal = state_.problem().goal;
    const std::uint32_t domain = goal.domain[server];
    if (domain == RoomGoal::no_domain || !counts_[domain]) {
        return 0;
    }
    if (goal.kind == RoomGoal::Kind::whole) {
        return state_.is_in_the_way(pod) && state_.is_whole(server) ? 1 : 0;
    }
    const std::int64_t before = state_.copies(server);
    if (before == 0) {
        return 0;
    }
    state_.move(pod, server);
    const std::int64_t after = state_.copies(server);
    state_.undo();
    return before - after;
}

std::optional<std::uint32_t> Relocation::place_for(std::uint32_t pod) {
    const MoveProblem& problem = state_.problem();
    using Rank = std::tuple<std::int64_t, Amount, std::uint32_t>;
    std::optional<Rank> best;
    for (std::uint32_t server = 0; server < problem.servers(); ++server) {
        if (closed_[server] || !state_.fits(pod, server)) {
            continue;
        }
        const Amount left = state_.free(server)[problem.goal.resource];
        const Rank rank{harm(pod, server), left, server};
        best = best ? std::min(*best, rank) : rank;
    }
    return best ? std::optional(std::get<2>(*best)) : std::nullopt;
}

/// Whether the amounts would suffice for a pod on a server if another pod had left it.
bool Relocation::could_fit_without(std::uint32_t pod,
                                   std::uint32_t server,
                                   std::uint32_t other) const {
    const std::vector<MovablePod>& pods = state_.problem().pods;
    for (std::size_t r = 0; r < state_.problem().resources; ++r) {
        const Amount asked = pods[pod].shape.demand[r];
        if (asked > 0 && asked > state_.free(server)[r] + pods[other].shape.demand[r]) {
            return false;
        }
    }
    return state_.problem().allowed[pods[pod].allowed][server];
}

/// The pods of other servers that might make room for a pod, the cheapest first.
std::vector<std::uint32_t> Relocation::who_could_make_room(std::uint32_t pod,
                                                           std::size_t most) const {
    std::vector<std::pair<MoveCost, std::uint32_t>> others;
    for (std::uint32_t other = 0; other < state_.problem().pods.size(); ++other) {
        const std::uint32_t server = state_.server_of(other);
        if (!closed_[server] && server != state_.server_of(pod) && state_.may_move(other) &&
            std::ranges::find(leaving_, other) == leaving_.end() &&
            could_fit_without(pod, server, other)) {
            others.emplace_back(state_.price(other), other);
        }
    }
    std::ranges::sort(others);
    std::vector<std::uint32_t> pods;
    for (std::size_t i = 0; i < std::min(others.size(), most); ++i) {
        pods.push_back(others[i].second);
    }
    return pods;
}

bool Relocation::move_one(std::uint32_t pod, std::size_t most_others) {
    if (!state_.may_move(pod)) {
        return false;
    }
    if (const auto server = place_for(pod)) {
        state_.move(pod, *server);
        return true;
    }
    if (most_others == 0) {
        return false;
    }
    const std::size_t before = state_.moves().size();
    for (const std::uint32_t other : who_could_make_room(pod, most_others)) {
        const std::uint32_t server = state_.server_of(other);
        leaving_.push_back(other);
        const bool left = move_one(other, most_others == others_max ? others_deeper : 0);
        leaving_.pop_back();
        if (left && state_.may_move(pod) && state_.fits(pod, server)) {
            state_.move(pod, server);
            return true;
        }
        undo_to(before);
    }
    return false;
}

bool Relocation::move_all(std::vector<std::uint32_t> pods) {
    const std::size_t before = state_.moves().size();
    const std::vector<MovablePod>& all = state_.problem().pods;
    const std::size_t resource = state_.problem().goal.resource;
    std::ranges::sort(pods, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(-all[a].shape.demand[resource], a) <
               std::pair(-all[b].shape.demand[resource], b);
    });
    leaving_ = pods;
    const bool moved =
        std::ranges::all_of(pods, [&](std::uint32_t pod) { return move_one(pod, others_max); });
    if (!moved) {
        undo_to(before);
    }
    return moved;
}

}  // namespace berth::core
