#include "core/defrag/filling.hpp"

#include <algorithm>
#include <limits>

namespace berth::core {
namespace {

using Kind = RoomGoal::Kind;

constexpr std::size_t starts_max = 6;  ///< How many servers are tried as the first one.

}  // namespace

Filling::Filling(RoomState& state,
                 Relocation& relocation,
                 const std::vector<std::uint32_t>& servers)
    : state_(state), relocation_(relocation), servers_(servers) {
    const RoomGoal& goal = state.problem().goal;
    wanted_ = goal.kind == Kind::most ? std::numeric_limits<std::int32_t>::max() : goal.count;
    copies_.resize(servers.size());
    options_.resize(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i) {
        look_at(i);
    }
}

std::vector<std::size_t> Filling::first_servers() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (!options_[i].empty()) {
            found.push_back(i);
        }
    }
    std::ranges::stable_sort(found, [&](std::size_t a, std::size_t b) {
        return is_better(options_[a].front(), options_[b].front());
    });
    found.resize(std::min(found.size(), starts_max));
    return found;
}

bool Filling::run(std::optional<std::size_t> first, std::optional<MoveCost> most) {
    bool gained = false;
    while (have_ < wanted_) {
        const auto option = first ? std::optional(Option{*first, 0}) : next();
        first.reset();
        if (!option) {
            return state_.problem().goal.kind == Kind::most && gained;
        }
        gained = take(*option) || gained;
        if (most && state_.cost() >= *most) {
            return false;
        }
    }
    return true;
}

/// Counts anew what a server has room for, and could have.
void Filling::look_at(std::size_t position) {
    have_ -= copies_[position];
    copies_[position] = state_.copies(servers_[position]);
    have_ += copies_[position];
    options_[position] = removals(state_, servers_[position], wanted_);
}

/// Whether an option costs less for each pod that it makes room for, as far as they are wanted.
bool Filling::is_better(const Removal& a, const Removal& b) const {
    const std::int64_t wanted = wanted_ - have_;
    const std::int64_t gain_a = std::min(a.gain, wanted);
    const std::int64_t gain_b = std::min(b.gain, wanted);
    return MoveCost{a.cost.first * gain_b, a.cost.second * gain_b} <
           MoveCost{b.cost.first * gain_a, b.cost.second * gain_a};
}

/// Whether an option is tried after another one.
bool Filling::comes_later(const Option& a, const Option& b) const {
    const Removal& one = options_[a.first][a.second];
    const Removal& other = options_[b.first][b.second];
    return is_better(other, one) || (!is_better(one, other) && a > b);
}

/// Makes a heap of the options, with the best one first, of all that are not gone.
void Filling::order_options() {
    is_ordered_ = true;
    order_.clear();
    for (std::size_t i = 0; i < options_.size(); ++i) {
        for (std::size_t k = 0; k < options_[i].size(); ++k) {
            if (options_[i][k].gain > 0) {
                order_.emplace_back(i, k);
            }
        }
    }
    std::ranges::make_heap(order_,
                           [&](const Option& a, const Option& b) { return comes_later(a, b); });
}

/// Takes the best option out of the heap.
std::optional<Filling::Option> Filling::next() {
    if (!is_ordered_) {
        order_options();
    }
    if (order_.empty()) {
        return std::nullopt;
    }
    std::ranges::pop_heap(order_,
                          [&](const Option& a, const Option& b) { return comes_later(a, b); });
    const Option option = order_.back();
    order_.pop_back();
    return option;
}

/// Has the pods of an option leave.
/// Returns: whether they found places, and something is gained by it; if not, nothing moves,
///          and the option is gone.
bool Filling::take(const Option& option) {
    const std::size_t before = state_.moves().size();
    const std::int64_t had = have_;
    const std::uint32_t server = servers_[option.first];
    relocation_.close(server, true);
    Removal& removal = options_[option.first][option.second];
    const bool done = relocation_.move_all(removal.pods);
    relocation_.close(server, false);
    if (!done) {
        removal.gain = 0;
        return false;
    }
    const std::vector<std::size_t> touched = touched_since(before);
    std::int64_t now = have_;
    for (const std::size_t position : touched) {
        now += state_.copies(servers_[position]) - copies_[position];
    }
    if (now <= had) {
        state_.undo_to(before);
        removal.gain = 0;
        return false;
    }
    for (const std::size_t position : touched) {
        look_at(position);
    }
    is_ordered_ = false;
    return true;
}

/// The positions of servers that pods left or went to, each once.
std::vector<std::size_t> Filling::touched_since(std::size_t moves) const {
    std::vector<std::size_t> touched;
    for (std::size_t i = moves; i < state_.moves().size(); ++i) {
        for (const std::uint32_t server : {state_.moves()[i].from, state_.moves()[i].to}) {
            const auto found = std::ranges::lower_bound(servers_, server);
            if (found != servers_.end() && *found == server) {
                touched.push_back(static_cast<std::size_t>(found - servers_.begin()));
            }
        }
    }
    std::ranges::sort(touched);
    const auto [first, last] = std::ranges::unique(touched);
    touched.erase(first, last);
    return touched;
}

}  // namespace berth::core
