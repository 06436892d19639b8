#include "core/topology_aware/domain_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/kueue/amounts.hpp"
#include "core/support/text.hpp"
#include "core/topology_aware/quoted.hpp"

namespace berth::core::kueue {
namespace {

/// How often a request fits, and by which resource not more often.
struct Fit {
    std::int64_t count = 0;
    std::size_t limiting = 0;
};

Fit fit_of(std::span<const Amount> request, std::span<const Amount> free) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    Fit fit{most, 0};
    for (std::size_t resource = 0; resource < request.size(); ++resource) {
        if (request[resource] > 0) {
            const std::int64_t count =
                std::clamp<std::int64_t>(free[resource] / request[resource], 0, most);
            if (count < fit.count) {
                fit = {count, resource};
            }
        }
    }
    return fit;
}

void subtract(std::vector<Amount>& from, std::span<const Amount> amounts) {
    std::ranges::transform(from, amounts, from.begin(), minus);
}

std::string taint_text(const Taint& taint) {
    const std::string value = taint.value.empty() ? taint.key : taint.key + "=" + taint.value;
    return fmt::format("{}:{}", value, taint.effect);
}

std::int64_t rounded_down(std::int64_t pods, std::int64_t size) {
    return size == 0 ? pods : pods / size * size;
}

}  // namespace

std::string Exclusions::text() const {
    if (counts_.empty()) {
        return "";
    }
    std::vector<std::string> parts;
    for (const auto& [why, count] : counts_) {
        parts.push_back(fmt::format("{}: {}", why, count));
    }
    std::ranges::sort(parts);
    return fmt::format(". Total nodes: {}; excluded: {}", total_, join(parts, ", "));
}

DomainCounts::DomainCounts(const TopologySnapshot& snapshot)
    : snapshot_(snapshot), states_(snapshot.is_empty() ? 0 : snapshot.tree().node_count()) {}

void DomainCounts::fill(const PlacementTask& task,
                        const PlacementParameters& parameters,
                        NodeMatchCache& cache) {
    std::ranges::fill(states_, DomainState());
    exclusions_ = {};
    if (snapshot_.is_empty()) {
        return;
    }
    const Topology& tree = snapshot_.tree();
    if (snapshot_.has_nodes()) {
        fill_nodes(task, parameters, cache);
    } else {
        exclusions_.set_total(tree.server_count());
        for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
            fill_leaf(tree.node_of(ServerId{i}), task);
        }
    }
    roll_up(tree.root(), parameters, parameters.inner_sizes);
}

void DomainCounts::fill_nodes(const PlacementTask& task,
                              const PlacementParameters& parameters,
                              NodeMatchCache& cache) {
    const bool keeps = !task.uid.empty() && snapshot_.gate(FeatureGate::cache_node_matches);
    const auto known = keeps ? cache.find(task.workers.name) : cache.end();
    const bool is_known = known != cache.end();
    const NodeMatches fresh = is_known ? NodeMatches() : match(task.workers, parameters);
    const NodeMatches& matches = is_known ? known->second : fresh;
    exclusions_ = matches.exclusions;
    for (const NodeMatches::Match& one : matches.matches) {
        const NodeId leaf = snapshot_.tree().node_of(one.server);
        // Kueue adds a score to itself when it is computed, and forgets those that it keeps.
        states_[leaf.index].affinity = is_known ? 0 : 2 * one.score;
        fill_leaf(leaf, task);
    }
    if (keeps && !is_known) {
        cache.emplace(task.workers.name, fresh);
    }
}

NodeMatches DomainCounts::match(const TopologyPodSet& set,
                                const PlacementParameters& parameters) const {
    const bool scored = snapshot_.gate(FeatureGate::respect_preferred_affinity);
    NodeMatches found;
    const std::uint32_t servers = snapshot_.tree().server_count();
    found.exclusions.set_total(servers);
    for (std::uint32_t i = 0; i < servers; ++i) {
        const ServerId server{i};
        if (const std::string why = why_excluded(server, set, parameters); !why.empty()) {
            found.exclusions.add(why);
            continue;
        }
        std::int64_t score = 0;
        const NodeProperties& node = snapshot_.node(server);
        for (const PreferredTerm& preferred : set.preferred_affinity) {
            if (scored && holds(preferred.term, node.labels, node.name)) {
                score += preferred.weight;
            }
        }
        found.matches.push_back({server, score});
    }
    return found;
}

std::string DomainCounts::why_excluded(ServerId server,
                                       const TopologyPodSet& set,
                                       const PlacementParameters& parameters) const {
    const NodeProperties& node = snapshot_.node(server);
    if (const Taint* taint = find_untolerated(node.taints, parameters.tolerations, TaintOf::node)) {
        return "taint " + quoted(taint_text(*taint));
    }
    const auto differs = [&](const auto& wanted) {
        const auto label = node.labels.find(wanted.first);
        return label == node.labels.end() || label->second != wanted.second;
    };
    if (std::ranges::any_of(parameters.node_selector, differs)) {
        return "nodeSelector";
    }
    const auto matches = [&](const NodeSelectorTerm& term) {
        return holds(term, node.labels, node.name);
    };
    return set.required_affinity && std::ranges::none_of(*set.required_affinity, matches)
               ? "affinity"
               : "";
}

void DomainCounts::fill_leaf(NodeId leaf, const PlacementTask& task) {
    if (!task.within.admits(leaf, snapshot_)) {
        exclusions_.add("topologyDomain");
        return;
    }
    std::vector<Amount> free = snapshot_.free(leaf, task.empty);
    if (const auto assumed = task.assumed.find(leaf); assumed != task.assumed.end()) {
        subtract(free, assumed->second);
    }
    DomainState& state = states_[leaf.index];
    const Fit fit = fit_of(task.workers.requests, free);
    state.pods = fit.count;
    if (fit.count == 0) {
        const std::string& resource = snapshot_.tree().resources().name(fit.limiting);
        exclusions_.add("resource " + quoted(resource));
    }
    if (task.leader != nullptr && fit_of(task.leader->requests, free).count > 0) {
        state.leaders = 1;
        subtract(free, task.leader->requests);
    }
    state.pods_with_leader = fit_of(task.workers.requests, free).count;
}

void DomainCounts::roll_up(NodeId top,
                           const PlacementParameters& parameters,
                           std::span<const std::int64_t> inner_sizes) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for_each_level_below(top.index, top.index + 1, [&](std::uint32_t begin, std::uint32_t end) {
        ranges.emplace_back(begin, end);
    });
    std::size_t level = snapshot_.last_level();
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range, --level) {
        const std::int64_t inner =
            level < snapshot_.last_level() && !inner_sizes.empty() ? inner_sizes[level + 1] : 0;
        for (const NodeId domain : node_range(range->first, range->second)) {
            if (domain == snapshot_.tree().root()) {
                return;
            }
            sum_up(domain, level, parameters, inner);
        }
    }
}

void DomainCounts::sum_up(NodeId domain,
                          std::size_t level,
                          const PlacementParameters& parameters,
                          std::int64_t inner_size) {
    const Topology& tree = snapshot_.tree();
    DomainState& state = states_[domain.index];
    if (!tree.is_server(domain)) {
        DomainState sum;
        std::optional<std::int64_t> least_pods;
        std::optional<std::int64_t> least_slices;
        for (const NodeId child : tree.children(domain)) {
            const DomainState& part = states_[child.index];
            const std::int64_t pods = rounded_down(part.pods, inner_size);
            sum.pods += pods;
            sum.slices += part.slices;
            sum.leaders = std::max(sum.leaders, part.leaders);
            sum.affinity += part.affinity;
            if (parameters.leaders == 0 || part.leaders > 0) {
                const std::int64_t lost = pods - rounded_down(part.pods_with_leader, inner_size);
                least_pods = std::min(least_pods.value_or(lost), lost);
                const std::int64_t fewer = part.slices - part.slices_with_leader;
                least_slices = std::min(least_slices.value_or(fewer), fewer);
            }
        }
        sum.pods_with_leader = least_pods ? sum.pods - *least_pods : 0;
        sum.slices_with_leader = least_slices ? sum.slices - *least_slices : 0;
        state = sum;
    }
    if (level == parameters.slice_level) {
        state.slices = state.pods / parameters.slice_size;
        state.slices_with_leader = state.pods_with_leader / parameters.slice_size;
    }
}

}  // namespace berth::core::kueue
