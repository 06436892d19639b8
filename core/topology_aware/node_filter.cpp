#include "core/topology_aware/node_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "core/topology_aware/quoted.hpp"

namespace berth::core::kueue {
namespace {

std::string taint_text(const Taint& taint) {
    const std::string value = taint.value.empty() ? taint.key : taint.key + "=" + taint.value;
    return fmt::format("{}:{}", value, taint.effect);
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
