#include "core/defrag/exact_moves.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "core/defrag/removal.hpp"

namespace berth::core {
namespace {

/// A state that the search has reached, by a move from another one.
struct Step {
    std::size_t before = 0;
    std::uint32_t pod = 0;
    std::uint32_t to = 0;
    std::size_t depth = 0;
};

class Search {
public:
    Search(const RoomState& start,
           const std::optional<RoomState>& known,
           const SearchLimits& limits)
        : state_(start), most_(start.problem().goal.kind == RoomGoal::Kind::most), limits_(limits) {
        if (known || most_) {
            cost_ = known ? known->cost() : MoveCost{};
        }
        value_ = known ? known->value() : start.value();
    }

    ExactMoves run() {
        steps_.push_back({});
        const auto least = least_cost(state_);
        if (!least) {
            found_.complete = true;
            return std::move(found_);
        }
        found_.bound = *least;
        found_.bound_has = most_ ? most_value(state_) : 0;
        open_.push({*least, 0, 0});
        while (!open_.empty() && !is_over()) {
            const Open next = open_.top();
            if (cost_ && !most_ && next.bound >= *cost_) {
                break;  // nothing that is left is better than what is known
            }
            open_.pop();
            found_.bound = std::max(found_.bound, next.bound);
            go_to(next.step);
            if (state_.reached()) {
                found_.moves = state_.moves();
                found_.complete = true;
                return std::move(found_);
            }
            expand(next.step);
        }
        found_.complete = open_.empty() || !is_over();
        if (found_.complete && cost_) {
            found_.bound = *cost_;
        }
        found_.bound_has = found_.complete ? value_ : found_.bound_has;
        return std::move(found_);
    }

private:
    struct Open {
        MoveCost bound;
        std::size_t depth = 0;
        std::size_t step = 0;
        friend bool operator<(const Open& a, const Open& b) {  // the least bound comes first
            return std::tuple(b.bound, a.depth, b.step) < std::tuple(a.bound, b.depth, a.step);
        }
    };

    [[nodiscard]] bool is_over() const {
        return found_.states >= limits_.states_max || (limits_.stop != nullptr && *limits_.stop);
    }

    void go_to(std::size_t step) {
        state_.undo_to(0);
        std::vector<std::size_t> way;
        for (; step != 0; step = steps_[step].before) {
            way.push_back(step);
        }
        for (std::size_t i = way.size(); i-- > 0;) {
            state_.move(steps_[way[i]].pod, steps_[way[i]].to);
        }
    }

    void expand(std::size_t step) {
        const MoveProblem& problem = state_.problem();
        for (std::uint32_t pod = 0; pod < problem.pods.size(); ++pod) {
            if (!state_.may_move(pod)) {
                continue;
            }
            for (std::uint32_t server = 0; server < problem.servers(); ++server) {
                if (state_.fits(pod, server)) {
                    state_.move(pod, server);
                    look(step, pod, server);
                    state_.undo();
                }
            }
        }
    }

    /// Keeps the state for later unless it is known, or nothing better can follow.
    void look(std::size_t before, std::uint32_t pod, std::uint32_t server) {
        const MoveCost cost = state_.cost();
        std::vector<std::uint64_t> key;
        state_.append_key(key);
        const auto [seen, fresh] = costs_.try_emplace(std::move(key), cost);
        if (!fresh && seen->second <= cost) {
            return;
        }
        seen->second = cost;
        ++found_.states;
        const auto left = least_cost(state_);
        if (!left || (!most_ && cost_ && cost + *left >= *cost_)) {
            return;
        }
        if (most_) {
            note_value();
            const std::int64_t more = most_value(state_);
            if (more < value_ || (more == value_ && cost_ && cost >= *cost_)) {
                return;
            }
        }
        const std::size_t depth = steps_[before].depth + 1;
        open_.push({cost + *left, depth, steps_.size()});
        steps_.push_back({before, pod, server, depth});
    }

    /// Keeps the moves so far if they are the best plan of those for `most`.
    void note_value() {
        const std::int64_t value = state_.value();
        if (value > value_ || (value == value_ && cost_ && state_.cost() < *cost_)) {
            value_ = value;
            cost_ = state_.cost();
            found_.moves = state_.moves();
        }
    }

    RoomState state_;
    bool most_;
    SearchLimits limits_;
    std::optional<MoveCost> cost_;  ///< What the best known plan costs.
    std::int64_t value_ = 0;        ///< How many pods that plan makes room for.
    std::vector<Step> steps_;
    std::priority_queue<Open> open_;
    std::map<std::vector<std::uint64_t>, MoveCost> costs_;
    ExactMoves found_;
};

}  // namespace

ExactMoves exact_moves(const RoomState& start,
                       const std::optional<RoomState>& known,
                       const SearchLimits& limits) {
    return Search(start, known, limits).run();
}

}  // namespace berth::core
