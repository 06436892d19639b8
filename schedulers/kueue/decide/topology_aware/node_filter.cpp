#include "schedulers/kueue/decide/topology_aware/node_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "schedulers/kueue/decide/topology_aware/quoted.hpp"

namespace berth::core::kueue {
namespace {

/// Adds what admission checks change in the selector and the tolerations. Returns the text of a
/// conflict between them, or "".
std::string merge_updates(const TopologyPodSet& set, PlacementParameters& into) {
    into.node_selector = set.node_selector;
    into.tolerations = set.tolerations;
    for (const PodSetUpdate& update : set.updates) {
        for (const auto& [key, value] : update.node_selector) {
            const std::string& before = into.node_selector.emplace(key, value).first->second;
            if (before != value) {
                return fmt::format(
                    "invalid podSetUpdate for PodSet {}, error: invalid admission check "
                    "PodSetUpdate: conflict for nodeSelector: conflict for key={}, value1={}, "
                    "value2={}",
                    set.name,
                    key,
                    before,
                    value);
            }
        }
        into.tolerations.insert(
            into.tolerations.end(), update.tolerations.begin(), update.tolerations.end());
    }
    return "";
}

/// Sets the sizes of inner layers for the levels where pods come in them. Returns why that is
/// impossible, or "".
std::string resolve_inner(const TopologyRequest& request,
                          const TopologySnapshot& snapshot,
                          PlacementParameters& into) {
    into.inner_sizes.assign(snapshot.levels().size(), 0);
    std::int64_t size = into.slice_size;
    std::size_t level = into.slice_level;
    for (std::size_t i = 1; i < request.layers.size(); ++i) {
        const SliceLayer& layer = request.layers[i];
        const auto found = snapshot.find_level(layer.topology);
        if (!found) {
            return fmt::format("no requested topology level for additional slice layer: {}",
                               layer.topology);
        }
        if (*found <= level) {
            return fmt::format(
                "additional slice layer topology {} must be at a lower level than {}",
                layer.topology,
                snapshot.levels()[level]);
        }
        if (size % layer.size != 0) {
            return fmt::format(
                "additional slice layer size {} must evenly divide parent layer size {}",
                layer.size,
                size);
        }
        for (std::size_t below = level + 1; below <= *found; ++below) {
            into.inner_sizes[below] = layer.size;
        }
        size = layer.size;
        level = *found;
        into.layers = request.layers;
    }
    return "";
}

/// Finds the levels of the pods and of their slices.
std::string resolve_levels(const TopologyPodSet& set,
                           const TopologySnapshot& snapshot,
                           PlacementParameters& into) {
    const std::optional<std::string> label = requested_level(set, snapshot);
    if (!label) {
        return "topology level not specified";
    }
    const auto level = snapshot.find_level(*label);
    if (!level) {
        return fmt::format("no requested topology level: {}", *label);
    }
    const std::string slices =
        set.request.layers.empty() ? snapshot.levels().back() : set.request.layers.front().topology;
    const auto slice_level = snapshot.find_level(slices);
    if (!slice_level) {
        return fmt::format("no requested topology level for slices: {}", slices);
    }
    if (*level > *slice_level) {
        return fmt::format(
            "podset slice topology {} is above the podset topology {}", slices, *label);
    }
    into.level = *level;
    into.slice_level = *slice_level;
    return "";
}

/// What Kubernetes would not accept in the selectors that count; empty if it accepts them all.
std::string find_invalid(const TopologyPodSet& set,
                         const TopologySnapshot& snapshot,
                         const Labels& node_selector) {
    std::string why = snapshot.has_nodes() ? why_invalid(node_selector) : "";
    if (set.required_affinity) {
        for (const NodeSelectorTerm& term : *set.required_affinity) {
            why = why.empty() ? why_invalid(term) : why;
        }
    }
    if (snapshot.gate(FeatureGate::respect_preferred_affinity)) {
        for (const PreferredTerm& preferred : set.preferred_affinity) {
            why = why.empty() && preferred.weight != 0 ? why_invalid(preferred.term) : why;
        }
    }
    return why.empty() ? "" : fmt::format("{}{}", invalid_selector, why);
}

std::string taint_text(const Taint& taint) {
    const std::string value = taint.value.empty() ? taint.key : taint.key + "=" + taint.value;
    return fmt::format("{}:{}", value, taint.effect);
}

}  // namespace

bool RequiredDomain::admits(NodeId leaf, const TopologySnapshot& snapshot) const {
    if (!domain) {
        return true;
    }
    const std::size_t level = snapshot.level_of(*domain);
    if (snapshot.has_nodes() && level > 0 && level == snapshot.last_level()) {
        return false;
    }
    return snapshot.ancestor(leaf, level) == *domain;
}

std::optional<std::string> requested_level(const TopologyPodSet& set,
                                           const TopologySnapshot& snapshot) {
    const TopologyRequest& request = set.request;
    if (request.required || request.preferred) {
        return request.required ? request.required : request.preferred;
    }
    if (request.is_slices_only()) {
        return snapshot.levels().front();
    }
    return request.unconstrained || set.implied ? std::optional(snapshot.levels().back())
                                                : std::nullopt;
}

ResolvedParameters resolve(const PlacementTask& task, const TopologySnapshot& snapshot) {
    const TopologyPodSet& set = task.workers;
    const TopologyRequest& request = set.request;
    ResolvedParameters resolved;
    PlacementParameters& parameters = resolved.parameters;
    parameters.count = set.count;
    parameters.leaders = task.leader != nullptr ? 1 : 0;
    parameters.required = request.required.has_value();
    parameters.unconstrained = request.unconstrained || set.implied || request.is_slices_only();
    parameters.least_free_first =
        parameters.unconstrained && snapshot.gate(FeatureGate::profile_mixed);
    resolved.failure = merge_updates(set, parameters);
    if (!resolved.failure.empty()) {
        return resolved;
    }
    const auto flavor = snapshot.tolerations();
    parameters.tolerations.insert(parameters.tolerations.end(), flavor.begin(), flavor.end());
    if (!request.layers.empty()) {
        parameters.slice_size = request.layers.front().size;
        if (parameters.slice_size <= 0) {
            resolved.failure = "slice topology requested, but slice size not provided";
            return resolved;
        }
    }
    resolved.failure = resolve_levels(set, snapshot, parameters);
    if (resolved.failure.empty()) {
        resolved.failure = resolve_inner(request, snapshot, parameters);
    }
    if (resolved.failure.empty()) {
        resolved.failure = find_invalid(set, snapshot, parameters.node_selector);
    }
    return resolved;
}

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

NodeFilter NodeFilter::of(const TopologyPodSet& set,
                          const PlacementParameters& parameters,
                          bool scored) {
    return {parameters.tolerations,
            parameters.node_selector,
            set.required_affinity,
            scored ? set.preferred_affinity : std::vector<PreferredTerm>()};
}

std::string NodeFilter::why_excluded(const NodeProperties& node) const {
    if (const Taint* taint = find_untolerated(node.taints, tolerations, TaintOf::node)) {
        return "taint " + kueue::quoted(taint_text(*taint));
    }
    const auto differs = [&](const auto& wanted) {
        const auto label = node.labels.find(wanted.first);
        return label == node.labels.end() || label->second != wanted.second;
    };
    if (std::ranges::any_of(node_selector, differs)) {
        return "nodeSelector";
    }
    const auto matches = [&](const NodeSelectorTerm& term) {
        return holds(term, node.labels, node.name);
    };
    return required_affinity && std::ranges::none_of(*required_affinity, matches) ? "affinity" : "";
}

std::int64_t NodeFilter::score(const NodeProperties& node) const {
    std::int64_t score = 0;
    for (const PreferredTerm& term : preferred) {
        score += holds(term.term, node.labels, node.name) ? term.weight : 0;
    }
    return score;
}

}  // namespace berth::core::kueue
