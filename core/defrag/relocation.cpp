#include "core/defrag/relocation.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace berth::core {
namespace {

constexpr std::size_t others_max = 200;  ///< How many pods are tried that may make room for one.
constexpr std::size_t others_deeper =
    20;  ///< How many are tried that may make room for one of these.

constexpr std::uint32_t servers_few = 64;  ///< Up to here, each pod looks for its own way.

/// Numbers pods such that those with the same number fit wherever one of them does.
std::vector<std::uint32_t> kinds_of(const std::vector<MovablePod>& pods) {
    using Kind = std::tuple<std::vector<Amount>, GpuMilli, std::int64_t, std::uint32_t>;
    std::map<Kind, std::uint32_t> numbers;
    std::vector<std::uint32_t> kinds;
    kinds.reserve(pods.size());
    for (const MovablePod& pod : pods) {
        const PodShape& shape = pod.shape;
        kinds.push_back(
            numbers
                .try_emplace({shape.demand, shape.gpu_milli, shape.gpu_count, pod.allowed},
                             static_cast<std::uint32_t>(numbers.size()))
                .first->second);
    }
    return kinds;
}

}  // namespace

Relocation::Relocation(RoomState& state)
    : state_(state),
      counts_(state.problem().goal.domains, true),
      servers_(state.problem().servers()),
      is_closed_(state.problem().servers(), false),
      kinds_(kinds_of(state.problem().pods)),
      no_place_(kinds_.size()),
      no_way_(kinds_.size()) {
    std::iota(servers_.begin(), servers_.end(), 0U);
}

void Relocation::close(std::uint32_t server, bool closed) {
    if (is_closed_[server] == closed) {
        return;
    }
    is_closed_[server] = closed;
    if (closed) {
        closed_.push_back(server);
    } else {
        std::erase(closed_, server);
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

std::optional<std::uint32_t> Relocation::best_of(std::uint32_t pod,
                                                 std::span<const std::uint32_t> servers) {
    using Rank = std::tuple<std::int64_t, Amount, std::uint32_t>;
    std::optional<Rank> best;
    for (const std::uint32_t server : servers) {
        if (is_closed_[server] || !state_.fits(pod, server)) {
            continue;
        }
        const Amount left = state_.free(server)[state_.problem().goal.resource];
        const Rank rank{harm(pod, server), left, server};
        best = best ? std::min(*best, rank) : rank;
    }
    return best ? std::optional(std::get<2>(*best)) : std::nullopt;
}

std::optional<std::uint32_t> Relocation::place_for(std::uint32_t pod) {
    NoPlace& known = no_place_[kinds_[pod]];
    if (known.version == state_.version()) {
        return best_of(pod, known.not_asked);
    }
    const auto found = best_of(pod, servers_);
    if (!found) {
        known = {state_.version(), closed_};
        known.not_asked.push_back(state_.server_of(pod));
    }
    return found;
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
        if (!is_closed_[server] && server != state_.server_of(pod) && state_.may_move(other) &&
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
    NoWay& known = no_way_[kinds_[pod]];
    const bool asks_once = state_.problem().servers() > servers_few;
    if (asks_once && known.version == state_.version() && known.others >= most_others) {
        return false;
    }
    const bool moved = move_with_others(pod, most_others);
    if (!moved) {
        known = {state_.version(), most_others};
    }
    return moved;
}

/// Moves a pod to where another one makes room for it.
bool Relocation::move_with_others(std::uint32_t pod, std::size_t most_others) {
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
        state_.undo_to(before);
    }
    return false;
}

bool Relocation::move_all(std::vector<std::uint32_t> pods) {
    const std::size_t before = state_.moves().size();
    const std::int64_t moves_max = state_.problem().goal.moves_max;
    if (moves_max > 0 && std::ssize(pods) + std::ssize(state_.moves()) > moves_max) {
        return false;
    }
    const std::vector<MovablePod>& all = state_.problem().pods;
    const std::size_t resource = state_.problem().goal.resource;
    std::ranges::sort(pods, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(-all[a].shape.demand[resource], a) <
               std::pair(-all[b].shape.demand[resource], b);
    });
    leaving_ = pods;
    const RoomGoal& goal = state_.problem().goal;
    const bool is_direct =
        goal.kind == RoomGoal::Kind::most && state_.problem().servers() > servers_few;
    const std::size_t most_others = is_direct ? 0 : others_max;
    const bool moved =
        std::ranges::all_of(pods, [&](std::uint32_t pod) { return move_one(pod, most_others); });
    if (!moved) {
        state_.undo_to(before);
    }
    return moved;
}

}  // namespace berth::core
