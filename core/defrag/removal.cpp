#include "core/defrag/removal.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::core {
namespace {

/// Whether all sets of this many pods are looked at: in large clusters, only of fewer pods.
bool are_few(std::size_t pods, const RoomState& state) {
    constexpr std::uint32_t servers_few = 64;
    return pods <= (state.problem().servers() <= servers_few ? 10 : 5);
}

std::vector<std::uint32_t> movable_on(const RoomState& state, std::uint32_t server) {
    std::vector<std::uint32_t> pods;
    for (const std::uint32_t pod : state.pods_on(server)) {
        if (state.may_move(pod)) {
            pods.push_back(pod);
        }
    }
    return pods;
}

/// Keeps a set if it is the cheapest so far of those that give at least as much.
void keep(std::vector<Removal>& best, Removal&& one) {
    const auto at_least =
        std::ranges::find_if(best, [&](const Removal& other) { return other.gain >= one.gain; });
    if (at_least != best.end() && at_least->cost <= one.cost) {
        return;
    }
    std::erase_if(best, [&](const Removal& other) {
        return other.gain <= one.gain && one.cost <= other.cost;
    });
    const auto place =
        std::ranges::find_if(best, [&](const Removal& other) { return other.gain > one.gain; });
    best.insert(place, std::move(one));
}

/// Looks at all sets. A pod costs what `price` says, whatever else leaves.
template <class Price>
std::vector<Removal> of_all_sets(const RoomState& state,
                                 std::uint32_t server,
                                 std::int64_t most,
                                 const std::vector<std::uint32_t>& pods,
                                 Price price) {
    std::vector<Removal> best;
    const std::int64_t now = state.copies(server);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t set = 1; set < (1U << pods.size()); ++set) {
        Removal one;
        for (std::size_t i = 0; i < pods.size(); ++i) {
            if ((set >> i & 1U) != 0) {
                one.pods.push_back(pods[i]);
                one.cost += price(pods[i]);
            }
        }
        if (!best.empty() && best.back().gain >= most && best.back().cost <= one.cost) {
            continue;
        }
        one.gain = std::min(most, state.copies_without(server, one.pods) - now);
        if (one.gain > 0) {
            keep(best, std::move(one));
        }
    }
    return best;
}

/// Takes the cheapest pods first, until each gain is reached, and then leaves out those without
/// which it is reached as well.
std::vector<Removal> of_cheapest_first(const RoomState& state,
                                       std::uint32_t server,
                                       std::int64_t most,
                                       std::vector<std::uint32_t> pods) {
    std::ranges::sort(pods, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(state.price(a), a) < std::pair(state.price(b), b);
    });
    std::vector<Removal> found;
    const std::int64_t now = state.copies(server);
    std::vector<std::uint32_t> taken;
    std::int64_t reached = 0;
    for (const std::uint32_t pod : pods) {
        taken.push_back(pod);
        const std::int64_t gain = std::min(most, state.copies_without(server, taken) - now);
        if (gain <= reached) {
            continue;
        }
        reached = gain;
        Removal one{gain, {}, taken};
        for (std::size_t i = one.pods.size(); i-- > 0;) {
            std::vector<std::uint32_t> fewer = one.pods;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (state.copies_without(server, fewer) - now >= gain) {
                one.pods = std::move(fewer);
            }
        }
        for (const std::uint32_t each : one.pods) {
            one.cost += state.price(each);
        }
        found.push_back(std::move(one));
        if (reached == most) {
            break;
        }
    }
    return found;
}

/// A lower bound for one gain where there are too many pods: for each resource, the cheapest and
/// the largest pods that could free enough of it, each part of the cost by itself.
MoveCost relaxed_cost(const RoomState& state,
                      std::uint32_t server,
                      const std::vector<std::uint32_t>& pods,
                      std::int64_t copies) {
    const PodShape& shape = state.problem().goal.shape;
    MoveCost bound{0, 0};
    for (std::size_t r = 0; r < shape.demand.size(); ++r) {
        const Amount missing = shape.demand[r] * copies - state.free(server)[r];
        if (shape.demand[r] == 0 || missing <= 0) {
            continue;
        }
        // No pod frees more than the one that frees the most, nor costs less than the cheapest.
        Amount largest = 0;
        MoveCost least{std::numeric_limits<std::int64_t>::max(),
                       std::numeric_limits<std::int64_t>::max()};
        for (const std::uint32_t pod : pods) {
            const Amount frees = state.problem().pods[pod].shape.demand[r];
            if (frees > 0) {
                const MoveCost price = state.least_price(pod);
                largest = std::max(largest, frees);
                least = {std::min(least.first, price.first), std::min(least.second, price.second)};
            }
        }
        if (largest > 0) {
            const std::int64_t pods_needed = (missing + largest - 1) / largest;
            bound = {std::max(bound.first, pods_needed * least.first),
                     std::max(bound.second, pods_needed * least.second)};
        }
    }
    return bound;
}

}  // namespace

std::vector<Removal> removals(const RoomState& state, std::uint32_t server, std::int64_t most) {
    std::vector<std::uint32_t> pods = movable_on(state, server);
    if (state.copies_without(server, pods) <= state.copies(server)) {
        return {};
    }
    return are_few(pods.size(), state)
               ? of_all_sets(
                     state, server, most, pods, [&](std::uint32_t pod) { return state.price(pod); })
               : of_cheapest_first(state, server, most, std::move(pods));
}

std::vector<Removal> least_removals(const RoomState& state,
                                    std::uint32_t server,
                                    std::int64_t most) {
    const std::vector<std::uint32_t> pods = movable_on(state, server);
    const std::int64_t now = state.copies(server);
    const std::int64_t largest = std::min(most, state.copies_without(server, pods) - now);
    if (largest <= 0) {
        return {};
    }
    std::vector<Removal> bounds;
    if (are_few(pods.size(), state)) {
        bounds = of_all_sets(
            state, server, most, pods, [&](std::uint32_t pod) { return state.least_price(pod); });
        for (Removal& one : bounds) {
            one.pods.clear();
        }
        return bounds;
    }
    for (std::int64_t gain = 1; gain <= largest; ++gain) {
        bounds.push_back({gain, relaxed_cost(state, server, pods, now + gain), {}});
    }
    return bounds;
}

std::vector<std::optional<MoveCost>> least_clearings(const RoomState& state) {
    const MoveProblem& problem = state.problem();
    std::vector<std::optional<MoveCost>> costs(problem.goal.domains, MoveCost{});
    for (std::uint32_t server = 0; server < problem.servers(); ++server) {
        const std::uint32_t domain = problem.goal.domain[server];
        if (domain == RoomGoal::no_domain || !costs[domain] || state.is_whole(server)) {
            continue;
        }
        std::vector<std::uint32_t> pods = movable_on(state, server);
        std::erase_if(pods, [&](std::uint32_t pod) { return !state.is_in_the_way(pod); });
        if (!state.is_whole(server, pods)) {
            costs[domain] = std::nullopt;
            continue;
        }
        for (const std::uint32_t pod : pods) {
            *costs[domain] += state.least_price(pod);
        }
    }
    return costs;
}

namespace {

/// What it costs at least that `count` pods fit below each domain: the smallest over all domains.
std::optional<MoveCost> least_for_copies(const RoomState& state) {
    const RoomGoal& goal = state.problem().goal;
    const auto count = static_cast<std::size_t>(goal.count);
    using Costs = std::vector<std::optional<MoveCost>>;
    Costs none(count + 1);
    none[0] = MoveCost{};
    std::vector<Costs> dear(goal.domains, none);  // by domain, then by the pods that fit
    for (std::uint32_t server = 0; server < state.problem().servers(); ++server) {
        if (goal.domain[server] == RoomGoal::no_domain || !goal.servers[server]) {
            continue;
        }
        const std::int64_t now = state.copies(server);
        std::vector<Removal> gains = least_removals(state, server, goal.count);
        if (now == 0 && gains.empty()) {
            continue;
        }
        gains.insert(gains.begin(), Removal{});
        Costs& costs = dear[goal.domain[server]];
        for (std::size_t have = count + 1; have-- > 0;) {
            if (!costs[have]) {
                continue;
            }
            for (const Removal& one : gains) {
                const std::size_t then =
                    std::min(count, have + static_cast<std::size_t>(now + one.gain));
                const MoveCost cost = *costs[have] + one.cost;
                if (then != have && (!costs[then] || cost < *costs[then])) {
                    costs[then] = cost;
                }
            }
        }
    }
    std::optional<MoveCost> least;
    for (const Costs& costs : dear) {
        if (costs[count] && (!least || *costs[count] < *least)) {
            least = costs[count];
        }
    }
    return least;
}

}  // namespace

std::optional<MoveCost> least_cost(const RoomState& state) {
    const RoomGoal& goal = state.problem().goal;
    if (goal.kind == RoomGoal::Kind::most) {
        return MoveCost{};
    }
    if (goal.kind == RoomGoal::Kind::copies) {
        return least_for_copies(state);
    }
    std::vector<MoveCost> costs;
    for (const std::optional<MoveCost>& one : least_clearings(state)) {
        if (one) {
            costs.push_back(*one);
        }
    }
    if (std::ssize(costs) < goal.count) {
        return std::nullopt;
    }
    std::ranges::sort(costs);
    MoveCost sum;
    for (std::int64_t i = 0; i < goal.count; ++i) {
        sum += costs[static_cast<std::size_t>(i)];
    }
    return sum;
}

std::int64_t most_value(const RoomState& state) {
    const RoomGoal& goal = state.problem().goal;
    const std::int64_t left = goal.moves_max - std::ssize(state.moves());
    if (left <= 0) {
        return state.value();
    }
    std::vector<std::int64_t> gained(static_cast<std::size_t>(left) + 1);  // by moves
    for (std::uint32_t server = 0; server < state.problem().servers(); ++server) {
        const std::vector<Removal> gains =
            least_removals(state, server, std::numeric_limits<std::int32_t>::max());
        for (std::size_t spent = gains.empty() ? 0 : gained.size(); spent-- > 0;) {
            for (const Removal& one : gains) {
                // For `most`, the first part of a cost is a number of moves.
                const auto then = spent + static_cast<std::size_t>(one.cost.first);
                if (then < gained.size()) {
                    gained[then] = std::max(gained[then], gained[spent] + one.gain);
                }
            }
        }
    }
    return state.value() + *std::ranges::max_element(gained);
}

}  // namespace berth::core
