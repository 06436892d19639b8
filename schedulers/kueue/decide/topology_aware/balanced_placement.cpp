#include "schedulers/kueue/decide/topology_aware/balanced_placement.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "core/support/rounded_math.hpp"

namespace berth::core::kueue {
namespace {

/// Finds the domains that, with a given number of them, take all pods and leaders with the least
/// room left over. For each number of domains, and for each pair of leaders and pods that are left
/// to place, the first choice that reaches it is kept.
///
/// Cost:   for each domain, everything that choices of the domains before it can leave.
/// Source: Kueue, pkg/cache/scheduler/tas_balanced_placement.go, selectOptimalDomainSetToFit.
class ChosenDomains {
public:
    ChosenDomains(std::size_t domains, std::int64_t leaders, std::int64_t pods);

    void add(NodeId domain, const DomainState& state);
    [[nodiscard]] std::optional<Domains> best() const;

private:
    /// A choice: the domain chosen last, and the choice before it. Choice 0 has no domain.
    using Choice = std::size_t;
    using ByPods = std::map<std::int64_t, Choice>;
    using ByLeaders = std::map<std::int64_t, ByPods>;

    void reach(ByLeaders& row, std::int64_t leaders, std::int64_t pods, Choice before, NodeId last);
    [[nodiscard]] Domains list(Choice choice) const;

    std::vector<ByLeaders> left_;  ///< The choices for each number of chosen domains.
    std::vector<std::pair<Choice, NodeId>> choices_;
};

ChosenDomains::ChosenDomains(std::size_t domains, std::int64_t leaders, std::int64_t pods)
    : left_(domains + 1) {
    left_[0][leaders][pods] = 0;
}

void ChosenDomains::add(NodeId domain, const DomainState& state) {
    // Longer choices are extended first, so that no choice has the domain twice.
    for (std::size_t used = left_.size() - 1; used > 0; --used) {
        for (const auto& [leaders, by_pods] : left_[used - 1]) {
            for (const auto& [pods, choice] : by_pods) {
                if (leaders <= 0 && pods <= 0) {
                    continue;
                }
                if (leaders > 0 && state.leaders > 0) {
                    reach(left_[used],
                          leaders - state.leaders,
                          pods - state.pods_with_leader,
                          choice,
                          domain);
                }
                if (state.slices > 0) {
                    reach(left_[used], leaders, pods - state.pods, choice, domain);
                }
            }
        }
    }
}

void ChosenDomains::reach(
    ByLeaders& row, std::int64_t leaders, std::int64_t pods, Choice before, NodeId last) {
    if (row[leaders].try_emplace(pods, choices_.size() + 1).second) {
        choices_.emplace_back(before, last);
    }
}

std::optional<Domains> ChosenDomains::best() const {
    const auto done = left_.back().find(0);
    if (done == left_.back().end()) {
        return std::nullopt;
    }
    const auto beyond = done->second.upper_bound(0);
    if (beyond == done->second.begin() ||
        std::prev(beyond)->first <= std::numeric_limits<std::int32_t>::min()) {
        return std::nullopt;
    }
    return list(std::prev(beyond)->second);
}

Domains ChosenDomains::list(Choice choice) const {
    Domains domains;
    for (; choice != 0; choice = choices_[choice - 1].first) {
        domains.push_back(choices_[choice - 1].second);
    }
    std::ranges::reverse(domains);
    return domains;
}

}  // namespace

std::optional<BalancedPlacement::Found> BalancedPlacement::find() {
    if (parameters_.slices() == 0 || counts_.snapshot().is_empty()) {
        return std::nullopt;
    }
    Best best;
    for (const Domains& family : families()) {
        const States before = save(family);
        improve(family, best);
        restore(before);
    }
    if (best.threshold == 0) {
        return std::nullopt;
    }
    const States before = save(best.family);
    restore(best.states);
    std::optional<Found> found = apply(best);
    if (!found) {
        restore(before);
    }
    return found;
}

BalancedPlacement::States BalancedPlacement::save(const Domains& family) const {
    States states;
    counts_.for_each_level_below(
        family.front().index, family.back().index + 1, [&](std::uint32_t begin, std::uint32_t end) {
            auto& level = states.emplace_back(begin, std::vector<DomainState>()).second;
            for (const NodeId domain : node_range(begin, end)) {
                level.push_back(counts_[domain]);
            }
        });
    return states;
}

void BalancedPlacement::restore(const States& states) {
    for (const auto& [begin, level] : states) {
        for (std::size_t i = 0; i < level.size(); ++i) {
            counts_.edit(NodeId{begin + static_cast<std::uint32_t>(i)}) = level[i];
        }
    }
}

std::vector<Domains> BalancedPlacement::families() const {
    const TopologySnapshot& snapshot = counts_.snapshot();
    if (parameters_.level == 0) {
        return {snapshot.domains(0)};
    }
    std::vector<Domains> families;
    for (const NodeId parent : snapshot.domains(parameters_.level - 1)) {
        families.push_back(choice_.children({{parent}}));
    }
    return families;
}

std::optional<BalancedPlacement::Greedy> BalancedPlacement::take_largest(Domains domains) const {
    Greedy greedy;
    std::int64_t left = parameters_.slices();
    std::int64_t leaders = parameters_.leaders;
    if (leaders > 0) {
        domains = choice_.sorted_for_leader(std::move(domains), false);
        std::ptrdiff_t taken = 0;
        for (const NodeId domain : domains) {
            if (leaders <= 0 || counts_[domain].leaders <= 0) {
                break;
            }
            greedy.last_leader = domain;
            leaders -= counts_[domain].leaders;
            left -= counts_[domain].slices_with_leader;
            ++taken;
        }
        if (leaders > 0) {
            return std::nullopt;
        }
        greedy.used = taken;
        domains.erase(domains.begin(), domains.begin() + taken);
    }
    for (const NodeId domain : choice_.sorted(std::move(domains), false)) {
        if (left <= 0 || counts_[domain].slices <= 0) {
            break;
        }
        greedy.last = domain;
        left -= counts_[domain].slices;
        ++greedy.used;
    }
    return left > 0 ? std::nullopt : std::optional(greedy);
}

std::pair<std::int64_t, std::int64_t> BalancedPlacement::thresholds(const Greedy& greedy) const {
    std::int64_t threshold = parameters_.slices() / greedy.used;
    if (greedy.last_leader) {
        threshold = std::min(threshold, counts_[*greedy.last_leader].slices_with_leader);
    }
    if (greedy.last) {
        threshold = std::min(threshold, counts_[*greedy.last].slices);
    }
    const bool anywhere = parameters_.leaders > 0 && greedy.last;
    return {threshold,
            anywhere ? std::min(threshold, counts_[*greedy.last].slices_with_leader) : threshold};
}

void BalancedPlacement::improve(const Domains& family, Best& best) {
    const States before = save(family);
    const auto greedy = take_largest(
        parameters_.level < parameters_.slice_level ? choice_.children(family) : family);
    if (!greedy) {
        return;
    }
    auto [threshold, with_leader] = thresholds(*greedy);
    if (threshold < best.threshold) {
        return;
    }
    auto pruned = prune(family, threshold);
    if (!pruned && with_leader < threshold) {
        if (with_leader <= 0 || with_leader < best.threshold) {
            return;
        }
        threshold = with_leader;
        restore(before);
        pruned = prune(family, threshold);
    }
    if (pruned &&
        (threshold > best.threshold || (threshold == best.threshold && pruned->used < best.used))) {
        best = {threshold, pruned->used, family, save(family)};
    }
}

std::optional<BalancedPlacement::Greedy> BalancedPlacement::prune(const Domains& family,
                                                                  std::int64_t threshold) {
    for (const NodeId child : choice_.children(family)) {
        prune_one(child, threshold);
    }
    for (const NodeId domain : family) {
        counts_.roll_up(domain);
        prune_one(domain, threshold);
    }
    return take_largest(family);
}

void BalancedPlacement::prune_one(NodeId domain, std::int64_t threshold) {
    const DomainState& state = counts_[domain];
    const bool loses_all = state.slices < threshold;
    const bool loses_leader =
        parameters_.leaders > 0 && state.leaders > 0 && state.slices_with_leader < threshold;
    if (!loses_all && !loses_leader) {
        return;
    }
    counts_.for_each_level_below(
        domain.index, domain.index + 1, [&](std::uint32_t begin, std::uint32_t end) {
            for (const NodeId below : node_range(begin, end)) {
                DomainState& lost = counts_.edit(below);
                if (loses_all) {
                    lost.pods = 0;
                    lost.slices = 0;
                }
                lost.pods_with_leader = 0;
                lost.slices_with_leader = 0;
                lost.leaders = 0;
            }
        });
}

std::optional<BalancedPlacement::Found> BalancedPlacement::apply(const Best& best) {
    std::size_t level = parameters_.level;
    Domains domains = best.family;
    if (level < parameters_.slice_level) {
        const auto chosen = optimal(by_entropy(domains));
        if (!chosen) {
            return std::nullopt;
        }
        domains = choice_.children(*chosen);
        ++level;
    }
    auto shared = share(std::move(domains), best.threshold);
    return shared ? std::optional(Found{std::move(*shared), level}) : std::nullopt;
}

double BalancedPlacement::entropy(NodeId domain) const {
    const double of_two = rounded_log(2);
    std::int64_t all = 0;
    for (const NodeId child : counts_.snapshot().tree().children(domain)) {
        all += counts_[child].pods;
    }
    double sum = 0;
    for (const NodeId child : counts_.snapshot().tree().children(domain)) {
        if (counts_[child].pods > 0) {
            const double part = static_cast<double>(counts_[child].pods) / static_cast<double>(all);
            sum += -part * (rounded_log(part) / of_two);
        }
    }
    return sum;
}

Domains BalancedPlacement::by_entropy(Domains domains) const {
    std::ranges::sort(domains, {}, [&](NodeId domain) {
        const DomainState& state = counts_[domain];
        return std::tuple(-state.leaders, -state.slices_with_leader, -entropy(domain), domain);
    });
    return domains;
}

std::optional<Domains> BalancedPlacement::optimal(const Domains& order) const {
    const auto greedy = take_largest(order);
    if (!greedy) {
        return std::nullopt;
    }
    ChosenDomains chosen(static_cast<std::size_t>(greedy->used),
                         parameters_.leaders,
                         parameters_.slices() * parameters_.slice_size);
    for (const NodeId domain : order) {
        chosen.add(domain, counts_[domain]);
    }
    return chosen.best();
}

std::optional<Domains> BalancedPlacement::share(Domains domains, std::int64_t threshold) {
    std::ranges::sort(domains);
    const auto chosen = optimal(domains);
    const std::int64_t need = parameters_.slices();
    if (!chosen || need < static_cast<std::int64_t>(chosen->size()) * threshold) {
        return std::nullopt;
    }
    domains = choice_.sorted_for_leader(*chosen, false);
    std::int64_t extra = need - static_cast<std::int64_t>(domains.size()) * threshold;
    std::int64_t leaders = parameters_.leaders;
    for (const NodeId domain : domains) {
        DomainState& state = counts_.edit(domain);
        const bool hosts = leaders > 0;
        const std::int64_t most =
            extra > 0 || hosts ? std::min(state.capacity(true, hosts) - threshold, extra) : 0;
        state.leaders = hosts ? 1 : 0;
        leaders -= state.leaders;
        state.slices = threshold + most;
        state.slices_with_leader = state.slices;
        state.pods = state.slices * parameters_.slice_size;
        state.pods_with_leader = state.pods - state.leaders;
        extra -= most;
    }
    return extra > 0 || leaders > 0 ? std::nullopt : std::optional(std::move(domains));
}

}  // namespace berth::core::kueue
