#include "schedulers/kueue/decide/topology_aware/topology_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "schedulers/kueue/decide/topology_aware/balanced_placement.hpp"
#include "schedulers/kueue/decide/topology_aware/quoted.hpp"

namespace berth::core::kueue {
namespace {

/// Domains of one level that together take all pods, or why there are none.
struct FoundDomains {
    std::size_t level = 0;
    Domains domains;
    std::string failure;  ///< Empty if there are domains.
};

/// Searches one domain that takes all pods, at the requested level and, if that is only preferred,
/// above it. At the top, and for pods that may be anywhere, it searches several domains.
///
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go, findLevelWithFitDomains.
class LevelSearch {
public:
    LevelSearch(DomainCounts& counts, const PlacementParameters& parameters)
        : counts_(counts), parameters_(parameters), choice_(counts, parameters) {}

    [[nodiscard]] FoundDomains find() const;

private:
    /// Searches at one level. Returns nothing if the level above is to be tried.
    [[nodiscard]] std::optional<FoundDomains> find_at(std::size_t level) const;
    /// Does the same for pods without a leader, with the order of the level's domains that is kept.
    [[nodiscard]] std::optional<FoundDomains> find_in(const LevelOrder& order,
                                                      std::size_t level) const;
    [[nodiscard]] FoundDomains find_several_in(const LevelOrder& order, std::size_t level) const;
    /// The domain with the least capacity that is enough, if there is one; `first` if it has the
    /// same capacity.
    [[nodiscard]] static NodeId best_fit_in(const LevelOrder& order,
                                            const LevelOrder::Key& first,
                                            std::int64_t need);
    [[nodiscard]] bool fits(NodeId domain) const;
    /// The first domain in `order` that takes all pods, if there is one.
    [[nodiscard]] std::optional<NodeId> find_one(const Domains& order) const;
    [[nodiscard]] FoundDomains find_several(std::size_t level, Domains order) const;
    [[nodiscard]] FoundDomains failed(std::size_t level, std::int64_t fit) const;
    [[nodiscard]] std::string layers_text(std::size_t level) const;

    DomainCounts& counts_;
    const PlacementParameters& parameters_;
    DomainChoice choice_;
};

FoundDomains LevelSearch::find() const {
    // Without a leader and without scores, the domains are taken in an order that is kept.
    const bool is_kept = parameters_.leaders == 0 &&
                         !counts_.snapshot().gate(FeatureGate::respect_preferred_affinity);
    for (std::size_t level = parameters_.level;; --level) {
        if (counts_.snapshot().is_empty()) {
            return {level,
                    {},
                    fmt::format("no topology domains at level: {}",
                                counts_.snapshot().levels()[level])};
        }
        auto found = is_kept ? find_in(counts_.order(level), level) : find_at(level);
        if (found) {
            return std::move(*found);
        }
    }
}

std::optional<FoundDomains> LevelSearch::find_at(std::size_t level) const {
    Domains order =
        choice_.sorted_for_leader(counts_.snapshot().domains(level), parameters_.least_free_first);
    if (const auto one = find_one(order)) {
        return FoundDomains{level, {*one}, ""};
    }
    if (parameters_.required) {
        const DomainState& top = counts_[order.front()];
        const DomainState& last = counts_[order.back()];
        return failed(level, parameters_.least_free_first ? last.pods : top.slices);
    }
    if (level == 0 || parameters_.unconstrained) {
        return find_several(level, std::move(order));
    }
    return std::nullopt;
}

std::optional<FoundDomains> LevelSearch::find_in(const LevelOrder& order, std::size_t level) const {
    const std::int64_t need = parameters_.slices();
    if (const LevelOrder::Key* least = order.least_with(need)) {
        const NodeId one =
            parameters_.least_free_first ? least->domain : best_fit_in(order, order.most(), need);
        return FoundDomains{level, {one}, ""};
    }
    if (parameters_.required) {
        return failed(level,
                      parameters_.least_free_first ? order.last().pods : order.most().slices);
    }
    if (level == 0 || parameters_.unconstrained) {
        return find_several_in(order, level);
    }
    return std::nullopt;
}

FoundDomains LevelSearch::find_several_in(const LevelOrder& order, std::size_t level) const {
    FoundDomains found{level, {}, ""};
    std::int64_t left = parameters_.slices();
    const bool least_first = parameters_.least_free_first;
    // Domains that take nothing make no difference.
    const LevelOrder::Key* next = order.least_with(1);
    if (next != nullptr && !least_first) {
        next = &order.most();
    }
    while (left > 0 && next != nullptr && next->slices > 0) {
        const bool is_enough = next->slices >= left;
        found.domains.push_back(is_enough && !least_first ? best_fit_in(order, *next, left)
                                                          : next->domain);
        left -= counts_[found.domains.back()].slices;
        next = least_first ? order.after(*next) : order.after_descending(*next);
    }
    return left > 0 ? failed(level, parameters_.slices() - left) : found;
}

NodeId LevelSearch::best_fit_in(const LevelOrder& order,
                                const LevelOrder::Key& first,
                                std::int64_t need) {
    const LevelOrder::Key* least = order.least_with(need);
    const bool counts = least->slices < std::numeric_limits<std::int32_t>::max();
    return counts && least->slices < first.slices ? least->domain : first.domain;
}

bool LevelSearch::fits(NodeId domain) const {
    const DomainState& state = counts_[domain];
    return state.slices_with_leader >= parameters_.slices() && state.leaders >= parameters_.leaders;
}

std::optional<NodeId> LevelSearch::find_one(const Domains& order) const {
    const std::int64_t need = parameters_.slices();
    if (parameters_.least_free_first) {
        const auto found = std::ranges::find_if(order, [&](NodeId domain) {
            const DomainState& state = counts_[domain];
            return state.leaders >= parameters_.leaders &&
                   state.capacity(true, parameters_.leaders > 0) >= need;
        });
        return found == order.end() ? std::nullopt : std::optional(*found);
    }
    if (fits(order.front())) {
        return choice_.best_fit(order, need, parameters_.leaders, true);
    }
    // With scores, a domain that fits may come after a preferred one that does not.
    const bool looks_on =
        parameters_.required && counts_.snapshot().gate(FeatureGate::respect_preferred_affinity);
    const auto later =
        looks_on ? std::ranges::find_if(order, [&](NodeId d) { return fits(d); }) : order.end();
    return later == order.end()
               ? std::nullopt
               : std::optional(choice_.best_fit(
                     std::span(later, order.end()), need, parameters_.leaders, true));
}

FoundDomains LevelSearch::find_several(std::size_t level, Domains order) const {
    FoundDomains found{level, {}, ""};
    std::int64_t left = parameters_.slices();
    std::int64_t leaders = parameters_.leaders;
    order = choice_.leader_first(std::move(order), left, leaders, true);
    std::size_t i = 0;
    for (; leaders > 0 && i < order.size() && counts_[order[i]].leaders > 0; ++i) {
        NodeId domain = order[i];
        if (!parameters_.least_free_first && counts_[domain].slices_with_leader >= left) {
            domain = choice_.best_fit(std::span(order).subspan(i), left, leaders, true);
        }
        found.domains.push_back(domain);
        leaders -= counts_[domain].leaders;
        left -= counts_[domain].slices_with_leader;
    }
    if (leaders > 0) {
        return failed(level, parameters_.leaders - leaders);
    }
    order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i));
    order = choice_.sorted(std::move(order), parameters_.least_free_first);
    for (i = 0; left > 0 && i < order.size(); ++i) {
        NodeId domain = order[i];
        if (!parameters_.least_free_first && counts_[domain].slices >= left) {
            domain = choice_.best_fit(std::span(order).subspan(i), left, 0, true);
        }
        found.domains.push_back(domain);
        left -= counts_[domain].slices;
    }
    return left > 0 ? failed(level, parameters_.slices() - left) : found;
}

FoundDomains LevelSearch::failed(std::size_t level, std::int64_t fit) const {
    const TopologySnapshot& snapshot = counts_.snapshot();
    std::string text = fmt::format("topology {} ", kueue::quoted(snapshot.name()));
    if (!parameters_.layers.empty()) {
        text += layers_text(level);
    } else {
        text +=
            fit != 0 ? fmt::format("allows to fit only {} out", fit) : "doesn't allow to fit any";
        text += fmt::format(
            " of {} {}(s)", parameters_.slices(), parameters_.slice_size == 1 ? "pod" : "slice");
    }
    return {level, {}, text + counts_.exclusions().text()};
}

std::string LevelSearch::layers_text(std::size_t level) const {
    const TopologySnapshot& snapshot = counts_.snapshot();
    const Domains domains = snapshot.domains(level);
    const NodeId best = std::ranges::min(domains, {}, [&](NodeId domain) {
        return std::tuple(-counts_[domain].slices,
                          TopologySnapshot::joined(snapshot.values(domain)));
    });
    std::string text = "doesn't allow to fit";
    for (const SliceLayer& layer : parameters_.layers) {
        std::int64_t fit = 0;
        std::size_t at = level;
        counts_.for_each_level_below(
            best.index, best.index + 1, [&](std::uint32_t begin, std::uint32_t end) {
                if (at++ == snapshot.find_level(layer.topology)) {
                    for (const NodeId domain : node_range(begin, end)) {
                        fit += counts_[domain].pods / layer.size;
                    }
                }
            });
        text += fmt::format("; {}/{} slice(s) fit on level {}",
                            fit,
                            parameters_.count / layer.size,
                            layer.topology);
    }
    return text;
}

}  // namespace

TopologyPlacement TopologyPlacer::place(const PlacementTask& task) {
    const auto [parameters, failure] = resolve(task, snapshot_);
    if (!failure.empty()) {
        return {{}, std::nullopt, failure};
    }
    counts_.fill(task, parameters, filters_);
    std::optional<BalancedPlacement::Found> balanced;
    if (snapshot_.gate(FeatureGate::balanced_placement) && !parameters.required &&
        !parameters.unconstrained) {
        balanced = BalancedPlacement(counts_, parameters).find();
    }
    FoundDomains found;
    if (balanced) {
        found = {balanced->level, std::move(balanced->domains), ""};
    } else {
        found = LevelSearch(counts_, parameters).find();
        if (!found.failure.empty()) {
            return {{}, std::nullopt, found.failure};
        }
    }
    Domains domains =
        DomainChoice(counts_, parameters)
            .minimum(
                found.domains, parameters.count, parameters.leaders, parameters.slice_size, true);
    if (!balanced) {
        domains = narrow_to_slices(std::move(domains), found.level, parameters);
    }
    const Domains leaves = narrow_to_leaves(std::move(domains), found.level, parameters);
    TopologyPlacement placement;
    placement.workers = assignment(leaves, false);
    if (task.leader != nullptr) {
        placement.leader = assignment(leaves, true);
    }
    return placement;
}

Domains TopologyPlacer::narrow_to_slices(Domains domains,
                                         std::size_t& level,
                                         const PlacementParameters& parameters) {
    DomainChoice choice(counts_, parameters);
    for (; level < std::min(snapshot_.last_level(), parameters.slice_level); ++level) {
        const Domains below = choice.sorted(choice.children(domains), parameters.least_free_first);
        domains = choice.minimum(
            below, parameters.count, parameters.leaders, parameters.slice_size, true);
    }
    return domains;
}

Domains TopologyPlacer::narrow_to_leaves(Domains domains,
                                         std::size_t level,
                                         const PlacementParameters& parameters) {
    DomainChoice choice(counts_, parameters);
    for (; level < snapshot_.last_level(); ++level) {
        const std::int64_t inner = parameters.inner_sizes[level + 1];
        const std::int64_t size = level < parameters.slice_level ? parameters.slice_size
                                  : inner == 0                   ? 1
                                                                 : inner;
        Domains next;
        for (const NodeId domain : domains) {
            const Domains below =
                choice.sorted(choice.children({{domain}}), parameters.least_free_first);
            if (size > 1) {
                for (const NodeId child : below) {
                    DomainState& state = counts_.edit(child);
                    state.slices = state.pods / size;
                    state.slices_with_leader = state.pods_with_leader / size;
                }
            }
            const DomainState& state = counts_[domain];
            const Domains taken = choice.minimum(below, state.pods, state.leaders, size, size > 1);
            next.insert(next.end(), taken.begin(), taken.end());
        }
        domains = std::move(next);
    }
    return domains;
}

TopologyAssignment TopologyPlacer::assignment(const Domains& leaves, bool of_leader) const {
    TopologyAssignment assignment;
    const auto levels = snapshot_.levels();
    assignment.levels.assign(snapshot_.has_nodes() ? levels.end() - 1 : levels.begin(),
                             levels.end());
    Domains order = leaves;
    std::ranges::sort(order);
    for (const NodeId leaf : order) {
        const std::int64_t count = of_leader ? counts_[leaf].leaders : counts_[leaf].pods;
        if (count > 0) {
            assignment.domains.push_back({snapshot_.leaf_values(leaf), count});
        }
    }
    return assignment;
}

}  // namespace berth::core::kueue
