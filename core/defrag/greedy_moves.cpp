#include "core/defrag/greedy_moves.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/defrag/relocation.hpp"
#include "core/defrag/removal.hpp"

namespace berth::core {
namespace {

using Kind = RoomGoal::Kind;

constexpr std::size_t starts_max = 6;  ///< How many servers are tried as the first one.

/// The plan that makes room for pods of a shape below one domain, server by server.
class Filling {
public:
    Filling(RoomState& state, std::uint32_t domain)
        : state_(state), counts_(state.problem().goal.domains, false), relocation_(state, counts_) {
        const RoomGoal& goal = state.problem().goal;
        if (goal.kind == Kind::most) {
            counts_.assign(counts_.size(), true);
        } else {
            counts_[domain] = true;
        }
        for (std::uint32_t server = 0; server < state.problem().servers(); ++server) {
            if (goal.domain[server] != RoomGoal::no_domain && counts_[goal.domain[server]] &&
                goal.servers[server]) {
                have_ += state.copies(server);
                servers_.push_back(server);
            }
        }
        wanted_ = goal.kind == Kind::most ? std::numeric_limits<std::int32_t>::max() : goal.count;
        options_.resize(state.problem().servers());
        for (const std::uint32_t server : servers_) {
            options_[server] = removals(state_, server, wanted_);
        }
    }

    /// The servers whose first option is cheapest for what it gains.
    [[nodiscard]] std::vector<std::uint32_t> first_servers() const {
        std::vector<std::uint32_t> found;
        for (const std::uint32_t server : servers_) {
            if (!options_[server].empty()) {
                found.push_back(server);
            }
        }
        std::ranges::stable_sort(found, [&](std::uint32_t a, std::uint32_t b) {
            return is_better(options_[a].front(), options_[b].front());
        });
        found.resize(std::min(found.size(), starts_max));
        return found;
    }

    /// Makes room until the goal is reached, or, for `most`, until no more is found. It begins with
    /// `first` if that is possible, and gives up once the moves cost as much as `most`.
    [[nodiscard]] bool run(std::optional<std::uint32_t> first, std::optional<MoveCost> most) {
        bool gained = false;
        while (have_ < wanted_) {
            const auto option = first ? first_of(*first) : best();
            first.reset();
            if (!option) {
                return state_.problem().goal.kind == Kind::most && gained;
            }
            gained = take(option->first, option->second) || gained;
            if (most && state_.cost() >= *most) {
                return false;
            }
        }
        return true;
    }

private:
    using Option = std::pair<std::uint32_t, std::size_t>;  ///< A server, and one of its options.

    /// Whether an option costs less for each pod that it makes room for, as far as they are wanted.
    [[nodiscard]] bool is_better(const Removal& a, const Removal& b) const {
        const std::int64_t wanted = wanted_ - have_;
        const std::int64_t gain_a = std::min(a.gain, wanted);
        const std::int64_t gain_b = std::min(b.gain, wanted);
        return MoveCost{a.cost.first * gain_b, a.cost.second * gain_b} <
               MoveCost{b.cost.first * gain_a, b.cost.second * gain_a};
    }

    [[nodiscard]] std::optional<Option> first_of(std::uint32_t server) const {
        return options_[server].empty() ? std::nullopt : std::optional(Option{server, 0});
    }

    [[nodiscard]] std::optional<Option> best() const {
        std::optional<Option> found;
        for (const std::uint32_t server : servers_) {
            for (std::size_t i = 0; i < options_[server].size(); ++i) {
                if (!found ||
                    is_better(options_[server][i], options_[found->first][found->second])) {
                    found = {server, i};
                }
            }
        }
        return found;
    }

    /// Has the pods of an option leave. If they find no place, or if nothing is gained by it, the
    /// option is gone.
    bool take(std::uint32_t server, std::size_t number) {
        const std::size_t before = state_.moves().size();
        const std::vector<std::uint32_t> pods = options_[server][number].pods;
        relocation_.close(server, true);
        bool done = relocation_.move_all(pods);
        relocation_.close(server, false);
        const std::int64_t had = have_;
        if (done) {
            have_ = sum();
            if (have_ <= had) {
                while (state_.moves().size() > before) {
                    state_.undo();
                }
                have_ = had;
                done = false;
            }
        }
        if (!done) {
            options_[server].erase(options_[server].begin() + static_cast<std::ptrdiff_t>(number));
            return false;
        }
        for (std::size_t i = before; i < state_.moves().size(); ++i) {
            for (const std::uint32_t touched : {state_.moves()[i].from, state_.moves()[i].to}) {
                options_[touched] =
                    counts(touched) ? removals(state_, touched, wanted_) : std::vector<Removal>();
            }
        }
        return true;
    }

    [[nodiscard]] bool counts(std::uint32_t server) const {
        return std::ranges::binary_search(servers_, server);
    }
    [[nodiscard]] std::int64_t sum() const {
        std::int64_t copies = 0;
        for (const std::uint32_t server : servers_) {
            copies += state_.copies(server);
        }
        return copies;
    }

    RoomState& state_;
    std::vector<bool> counts_;
    Relocation relocation_;
    std::vector<std::uint32_t> servers_;  ///< The servers on which room counts, in order.
    std::int64_t have_ = 0;
    std::int64_t wanted_ = 0;
    std::vector<std::vector<Removal>> options_;
};

/// Clears domains, the cheapest first, until enough are whole.
bool clear_domains(RoomState& state, std::optional<std::uint32_t> first) {
    const MoveProblem& problem = state.problem();
    const std::vector<bool> counts(problem.goal.domains, true);
    Relocation relocation(state, counts);
    std::vector<std::vector<std::uint32_t>> servers(problem.goal.domains);
    for (std::uint32_t server = 0; server < problem.servers(); ++server) {
        if (problem.goal.domain[server] != RoomGoal::no_domain) {
            servers[problem.goal.domain[server]].push_back(server);
        }
    }
    std::vector<std::pair<MoveCost, std::uint32_t>> order;
    const auto costs = least_clearings(state);
    for (std::uint32_t domain = 0; domain < costs.size(); ++domain) {
        if (costs[domain]) {
            order.emplace_back(first == domain ? MoveCost{-1, 0} : *costs[domain], domain);
        }
    }
    std::ranges::sort(order);
    for (const auto& [cost, domain] : order) {
        if (state.reached()) {
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
        if (!relocation.move_all(pods)) {
            for (const std::uint32_t server : servers[domain]) {
                relocation.close(server, false);
            }
        }
    }
    return state.reached();
}

/// Whether these moves are possible in this order, and reach what they reach with `value`.
bool still_reach(const RoomState& start, const std::vector<PodMove>& moves, std::int64_t value) {
    RoomState state = start;
    for (const PodMove& move : moves) {
        if (state.server_of(move.pod) == move.to || !state.may_move(move.pod) ||
            !state.fits(move.pod, move.to)) {
            return false;
        }
        state.move(move.pod, move.to);
    }
    return state.value() >= value;
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
        std::vector<PodMove> fewer = moves;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (still_reach(start, fewer, value)) {
            moves = std::move(fewer);
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

void fill(const RoomState& start, std::uint32_t domain, Best& best) {
    std::vector<std::optional<std::uint32_t>> firsts{std::nullopt};
    {
        RoomState state = start;
        Filling filling(state, domain);
        for (const std::uint32_t server : filling.first_servers()) {
            firsts.emplace_back(server);
        }
        if (filling.run(std::nullopt, best.cost)) {
            best.offer(state);
        }
    }
    constexpr std::uint32_t servers_max = 200;  // where starting again costs little
    for (std::size_t i = 1; i < firsts.size() && start.problem().servers() <= servers_max; ++i) {
        RoomState state = start;
        Filling filling(state, domain);
        const bool most = start.problem().goal.kind == Kind::most;
        if (filling.run(firsts[i], most ? std::nullopt : best.cost)) {
            best.offer(state);
        }
    }
}

}  // namespace

std::optional<std::vector<PodMove>> greedy_moves(const RoomState& start) {
    const RoomGoal& goal = start.problem().goal;
    Best best;
    if (goal.kind == Kind::whole) {
        for (std::uint32_t first = 0; first <= std::min<std::uint32_t>(goal.domains, starts_max);
             ++first) {
            RoomState state = start;
            if (clear_domains(state, first == 0 ? std::nullopt : std::optional(first - 1))) {
                best.offer(state);
            }
        }
    } else {
        const std::uint32_t domains = goal.kind == Kind::most ? 1 : goal.domains;
        for (std::uint32_t domain = 0; domain < domains; ++domain) {
            fill(start, domain, best);
        }
    }
    if (best.moves) {
        best.moves = without_needless(start, std::move(*best.moves));
    }
    return best.moves;
}

}  // namespace berth::core
