#include "core/allocation_candidates/tree_search.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/allocation_candidates/count_by_provider.hpp"

namespace berth::core {
namespace {

class Matching {
public:
    Matching(std::span<const std::vector<CandidateOption>> options,
             const std::function<std::uint64_t(ProviderIndex)>& places)
        : options_(options), places_(places) {}

    /// Finds a provider for one more part, and moves other parts if necessary.
    bool place(std::size_t part) {
        std::set<ProviderIndex> visited;
        return augment(part, visited);
    }

private:
    bool augment(std::size_t part, std::set<ProviderIndex>& visited) {
        for (const CandidateOption& option : options_[part]) {
            if (!visited.insert(option.provider).second) {
                continue;
            }
            std::vector<std::size_t>& here = parts_at_[option.provider];
            if (here.size() < places_(option.provider)) {
                here.push_back(part);
                return true;
            }
            const auto moved = std::ranges::find_if(
                here, [&](std::size_t other) { return augment(other, visited); });
            if (moved != here.end()) {
                *moved = part;
                return true;
            }
        }
        return false;
    }

    std::span<const std::vector<CandidateOption>> options_;
    const std::function<std::uint64_t(ProviderIndex)>& places_;
    std::map<ProviderIndex, std::vector<std::size_t>> parts_at_;
};

/// Whether every part can get one of its providers, so that none of them takes more parts than
/// `places` says. By capacity, this rules out a tree before any of its candidates is enumerated.
///
/// Cost: O(parts^2 x options); augmenting paths, as for a bipartite matching.
bool all_parts_find_places(std::span<const std::size_t> parts,
                           std::span<const std::vector<CandidateOption>> options,
                           const std::function<std::uint64_t(ProviderIndex)>& places) {
    Matching matching(options, places);
    return std::ranges::all_of(parts, [&](std::size_t part) { return matching.place(part); });
}

}  // namespace

TreeSearch::TreeSearch(CandidatePlan& plan)
    : plan_(plan),
      forest_(plan.forest()),
      options_(plan.parts().size()),
      order_(plan.parts().size()),
      chosen_(plan.parts().size(), no_provider) {}

bool TreeSearch::prepare(TreeIndex tree) {
    ++trees_searched_;
    if (!plan_.allows_root(tree) || !collect_options(tree)) {
        return false;
    }
    sort_options();
    return suffices_in_sum();
}

bool TreeSearch::search(TreeIndex tree, CandidateSink& sink) {
    return !prepare(tree) || descend(0, sink);
}

bool TreeSearch::can_take(ProviderIndex provider, const std::vector<std::size_t>& parts) {
    bool can = true;
    std::size_t taken = 0;
    for (; can && taken < parts.size(); ++taken) {
        can = has_room(provider, parts[taken]) &&
              (!plan_.query().isolate || is_isolated(provider, parts[taken]));
        chosen_[parts[taken]] = provider;
    }
    for (std::size_t i = 0; i < taken; ++i) {
        chosen_[parts[i]] = no_provider;
    }
    return can;
}

/// Nothing if enumerating takes less, or if parts depend on more than the room of a provider.
std::optional<std::uint64_t> TreeSearch::count_by_provider(const std::vector<std::size_t>& parts) {
    double enumerated = 1;
    std::map<ProviderIndex, PartSet> served;  // the parts that a provider may serve, by place
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (plan_.has_joint_traits(parts[i]) || !plan_.subtrees_of(parts[i]).empty()) {
            return std::nullopt;
        }
        enumerated *= static_cast<double>(options_[parts[i]].size());
        for (const CandidateOption& option : options_[parts[i]]) {
            served[option.provider] |= PartSet{1} << i;
        }
    }
    // If parts must be isolated, a provider takes at most one of them, otherwise any set of them.
    const std::size_t most = plan_.query().isolate ? counted_parts_max : counted_sets_max;
    const double shared_out = static_cast<double>(served.size() * parts.size()) *
                              static_cast<double>(std::size_t{1} << std::min(parts.size(), most));
    if (parts.size() > most || enumerated <= shared_out) {
        return std::nullopt;
    }
    WaysToShareOut ways(parts.size());
    for (const auto& [provider, may] : served) {
        ways.add(may, [&](PartSet set) {
            std::vector<std::size_t> taken;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if ((set >> i & 1) != 0) {
                    taken.push_back(parts[i]);
                }
            }
            return can_take(provider, taken);
        });
    }
    return ways.count();
}

std::uint64_t TreeSearch::count_together(const std::vector<std::size_t>& parts,
                                         CountingSink& sink) {
    if (parts.size() == 1 && !plan_.has_joint_traits(parts.front())) {
        return options_[parts.front()].size();  // nothing beyond may_serve() limits these
    }
    if (const auto counted = count_by_provider(parts)) {
        return *counted;
    }
    const std::uint64_t before = sink.count;
    std::vector<std::size_t> all = std::move(order_);
    order_.clear();
    for (const std::size_t part : all) {
        if (std::ranges::find(parts, part) != parts.end()) {
            order_.push_back(part);
        }
    }
    (void)descend(0, sink);
    order_ = std::move(all);
    return std::exchange(sink.count, before) - before;
}

std::optional<std::uint64_t> TreeSearch::count(TreeIndex tree, CountingSink& sink) {
    if (!prepare(tree)) {
        return 0;
    }
    const auto may_be_shared = [&](const std::vector<CandidateOption>& options) {
        return std::ranges::any_of(options, [&](const CandidateOption& option) {
            return forest_.is_sharing(option.provider);
        });
    };
    if (std::ranges::all_of(options_, may_be_shared)) {
        return std::nullopt;
    }
    std::uint64_t product = 1;
    for (const std::vector<std::size_t>& parts : plan_.parts_by_interest()) {
        const std::uint64_t ways = count_together(parts, sink);
        product = ways != 0 && product > std::numeric_limits<std::uint64_t>::max() / ways
                      ? std::numeric_limits<std::uint64_t>::max()
                      : product * ways;
    }
    return product;
}

bool TreeSearch::collect_options(TreeIndex tree) {
    for (std::size_t part = 0; part < options_.size(); ++part) {
        std::vector<CandidateOption>& options = options_[part];
        options.clear();
        const std::uint64_t asked = plan_.class_bits(part);
        for (ProviderIndex provider = forest_.root(tree); provider < forest_.tree_end(tree);
             ++provider) {
            if ((asked & ~forest_.class_bits(provider)) == 0 && plan_.may_serve(provider, part) &&
                plan_.may_serve_at(provider, part, tree)) {
                options.push_back({provider, forest_.rank(provider)});
            }
        }
        for (const std::uint32_t i : forest_.shared_with(tree)) {
            const ProviderIndex provider = forest_.sharing()[i];
            if (plan_.may_serve_elsewhere(provider, part) &&
                plan_.may_serve_at(provider, part, tree)) {
                options.push_back({provider, forest_.rank(provider)});
            }
        }
        if (options.empty()) {
            return false;
        }
    }
    return true;
}

void TreeSearch::sort_options() {
    for (std::vector<CandidateOption>& options : options_) {
        if (!std::ranges::is_sorted(options, {}, &CandidateOption::rank)) {
            std::ranges::sort(options, {}, &CandidateOption::rank);
        }
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = 1; i < order_.size(); ++i) {
        const std::size_t part = order_[i];
        std::size_t place = i;
        for (; place > 0 && options_[order_[place - 1]].size() > options_[part].size(); --place) {
            order_[place] = order_[place - 1];
        }
        order_[place] = part;
    }
}

bool TreeSearch::suffices_in_sum() {
    std::vector<std::size_t> parts;
    for (const ClassIndex type : plan_.contended()) {
        parts.clear();
        Amount least = std::numeric_limits<Amount>::max();
        for (std::size_t part = 0; part < options_.size(); ++part) {
            for (const auto& [asked, amount] : plan_.parts()[part].resources) {
                if (asked == type) {
                    parts.push_back(part);
                    least = std::min(least, amount);
                }
            }
        }
        const auto places = [&](ProviderIndex provider) {
            const InventoryRow& row = *forest_.inventory(provider, type);
            return static_cast<std::uint64_t>(std::min(row.capacity - row.used, row.max_unit) /
                                              least);
        };
        if (!all_parts_find_places(parts, options_, places)) {
            return false;
        }
    }
    if (!plan_.query().isolate) {
        return true;
    }
    parts.clear();
    for (std::size_t part = 0; part < options_.size(); ++part) {
        if (plan_.group_of(part).suffixed) {
            parts.push_back(part);
        }
    }
    return all_parts_find_places(parts, options_, [](ProviderIndex) { return std::uint64_t{1}; });
}

bool TreeSearch::has_room(ProviderIndex provider, std::size_t part) const {
    for (const auto& [type, amount] : plan_.parts()[part].resources) {
        if (!plan_.is_contended(type)) {
            continue;
        }
        Amount sum = amount;
        for (std::size_t other = 0; other < chosen_.size(); ++other) {
            if (chosen_[other] == provider) {
                for (const auto& [taken, taken_amount] : plan_.parts()[other].resources) {
                    sum += taken == type ? taken_amount : 0;
                }
            }
        }
        const InventoryRow& row = *forest_.inventory(provider, type);
        if (sum > row.capacity - row.used || sum > row.max_unit) {
            return false;
        }
    }
    return true;
}

bool TreeSearch::is_isolated(ProviderIndex provider, std::size_t part) const {
    if (!plan_.group_of(part).suffixed) {
        return true;
    }
    for (std::size_t other = 0; other < chosen_.size(); ++other) {
        if (chosen_[other] == provider && plan_.group_of(other).suffixed) {
            return false;
        }
    }
    return true;
}

bool TreeSearch::subtree_can_hold(const std::vector<std::size_t>& list) const {
    const auto is_below = [&](ProviderIndex provider, ProviderIndex ancestor) {
        return ancestor <= provider && provider < forest_.subtree_end(ancestor);
    };
    // The lowest provider above all chosen ones. If there is none, they are in two trees.
    std::optional<ProviderIndex> above;
    for (const std::size_t part : list) {
        const ProviderIndex provider = chosen_[part];
        if (provider == no_provider) {
            continue;
        }
        if (!above) {
            above = provider;
        }
        while (above && !is_below(provider, *above)) {
            above = forest_.parent(*above);
        }
        if (!above) {
            return false;
        }
    }
    // This provider, or one above it, must be among the chosen ones or must still be able to be.
    for (; above; above = forest_.parent(*above)) {
        for (const std::size_t part : list) {
            const bool is_open = chosen_[part] == no_provider;
            if (is_open ? std::ranges::any_of(options_[part],
                                              [&](const CandidateOption& option) {
                                                  return option.provider == *above;
                                              })
                        : chosen_[part] == *above) {
                return true;
            }
        }
    }
    return false;
}

bool TreeSearch::subtrees_can_hold(std::size_t part) const {
    return std::ranges::all_of(plan_.subtrees_of(part), [&](std::size_t list) {
        return subtree_can_hold(plan_.same_subtree()[list]);
    });
}

bool TreeSearch::has_traits() const {
    // In the unsuffixed group, the providers together must have the traits.
    for (const PlannedGroup& group : plan_.groups()) {
        if (!group.has_joint_traits() || chosen_[group.parts.front()] == no_provider) {
            continue;
        }
        std::vector<std::uint32_t> sets;
        for (const std::size_t part : group.parts) {
            sets.push_back(forest_.trait_set(chosen_[part]));
        }
        return group.traits.meet_all(sets);
    }
    return true;
}

bool TreeSearch::descend(std::size_t depth, CandidateSink& sink) {
    if (depth == order_.size()) {
        return !has_traits() || sink.add(chosen_);
    }
    const std::size_t part = order_[depth];
    for (const CandidateOption& option : options_[part]) {
        ++providers_tried_;
        if (!has_room(option.provider, part) ||
            (plan_.query().isolate && !is_isolated(option.provider, part))) {
            continue;
        }
        chosen_[part] = option.provider;
        const bool wanted = subtrees_can_hold(part) && !sink.is_beyond({chosen_, options_});
        const bool goes_on = !wanted || descend(depth + 1, sink);
        chosen_[part] = no_provider;
        if (!goes_on) {
            return false;
        }
    }
    return true;
}

}  // namespace berth::core
