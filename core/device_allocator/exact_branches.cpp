// The branch-and-bound of the exact solver: which beginnings are followed, and which cannot win.

#include <algorithm>
#include <bit>

#include "core/device_allocator/exact_search.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// How many equally good beginnings are followed to find the lowest minors. There are more only on
/// machines with very many equal switches, where the first one found is just as good.
constexpr int ties_max = 1024;
/// How many beginnings are followed in all after something is found.
constexpr int visits_max = 100'000;

}  // namespace

/// Tries every way to add sites of `kind` and of later kinds.
void ExactSearch::extend(std::size_t kind, const Chosen& chosen) {
    for (; kind < kind_count_ && !is_hopeless(kind, chosen); ++kind) {
        add_sites(kind, 0, chosen);
    }
}

/// Adds the sites of one kind from `index` on. It begins with the most sites, so that early results
/// are good and rule out much.
void ExactSearch::add_sites(std::size_t kind, std::size_t index, const Chosen& chosen) {
    const Chosen more = with(chosen, sites_[ordered_[kinds_[kind].first + index]]);
    if (index + 1 < kinds_[kind].size && more.switch_count < count_) {
        add_sites(kind, index + 1, more);
    }
    if (more.room >= count_) {
        consider(more);
    }
    extend(kind + 1, more);
}

/// Whether no addition of `kind` and later kinds can be better than the best one found.
bool ExactSearch::is_hopeless(std::size_t kind, const Chosen& chosen) {
    const Kind& next = kinds_[kind];
    const int missing = count_ - chosen.room;
    if (chosen.switch_count >= count_ || next.rooms_from_here < missing) {
        return true;
    }
    if (!best_) {
        return false;
    }
    BERTH_AUDIT(missing <= 0 || next.most_room_from_here > 0, "some site that is left has room");
    const int added_min =
        missing <= 0 ? 1 : (missing + next.most_room_from_here - 1) / next.most_room_from_here;
    ExactRank bound;
    bound.scope = scope_;
    bound_share(next, chosen, added_min, bound);
    bound.switch_count = chosen.switch_count + added_min;
    bound.new_on_numa = new_on_numa(chosen.numa_nodes);
    bound.new_on_pcie = chosen.new_on_pcie + added_min * next.least_new_from_here;
    auto order = bound.compare(best_->rank);
    if (order <= 0) {
        bound_numa_nodes(kind, chosen, missing, bound);
        order = bound.compare(best_->rank);
    }
    return order > 0 || (order == 0 && ++ties_ > ties_max) || ++visits_ > visits_max;
}

/// Sets the greatest possible share of covered pairs: with every covered site that is left, and no
/// other, as far as the number of sites allows.
void ExactSearch::bound_share(const Kind& next,
                              const Chosen& chosen,
                              int added_min,
                              ExactRank& bound) const {
    const int width = static_cast<int>(secondary_count_);
    if (width == 0) {
        return;
    }
    const int added_max = std::min(count_ - chosen.switch_count, next.sites_from_here);
    const int covered = covered_pairs(chosen);
    const auto set = [&](int added) {
        ExactRank share = bound;
        share.pairs = (chosen.switch_count + added) * width;
        share.uncovered = share.pairs - covered - std::min(next.pairs_from_here, added * width);
        return share;
    };
    const int added_least = std::min(added_min, added_max);
    const int all_covered = next.pairs_from_here / width;
    const ExactRank fewer = set(std::clamp(all_covered, added_least, added_max));
    const ExactRank more = set(std::clamp(all_covered + 1, added_least, added_max));
    bound = more.compare(fewer) < 0 ? more : fewer;
}

/// Adds what must be used on NUMA nodes beyond the chosen ones, and the secondaries that are far at
/// best.
void ExactSearch::bound_numa_nodes(std::size_t kind,
                                   const Chosen& chosen,
                                   int missing,
                                   ExactRank& bound) const {
    DeviceMask reachable = chosen.numa_nodes;
    std::array<int, devices_of_type_max> room{};
    int room_most = 0;
    int new_least = INT32_MAX;
    for (; kind < kind_count_; ++kind) {
        const DeviceMask numa_node = sites_[ordered_[kinds_[kind].first]].numa_node;
        reachable |= numa_node;
        if (numa_node == 0 || (numa_node & chosen.numa_nodes) != 0) {
            missing -= kinds_[kind].room;
            continue;
        }
        const auto numa = static_cast<std::size_t>(std::countr_zero(numa_node));
        room[numa] += kinds_[kind].room;
        room_most = std::max(room_most, room[numa]);
        new_least = std::min(new_least, new_on_numa_[numa]);
    }
    if (missing > 0 && room_most > 0) {
        bound.new_on_numa += (missing + room_most - 1) / room_most * new_least;
    }
    for (std::size_t s = 0; s < secondary_count_; ++s) {
        bound.far += std::max<Amount>(0, secondaries_[s].desired - near_count(reachable, s));
    }
}

}  // namespace berth::core
