#include "schedulers/kube/decide/decider.hpp"

#include <algorithm>

#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {

/// The class of a pod, which then comes first.
Decider::Class& Decider::class_of(const Pod& pod) {
    constexpr std::size_t most = 32;
    const auto known = std::ranges::find_if(
        classes_, [&](const Class& other) { return is_alike(other.pod, pod); });
    if (known != classes_.end()) {
        classes_.splice(classes_.begin(), classes_, known);
    } else {
        if (classes_.size() == most) {
            classes_.pop_back();
        }
        classes_.emplace_front().pod = pod;
    }
    return classes_.front();
}

/// Whether no other pod counts for this one, but as the index of its class knows. `known` is the
/// company of a pod of the same class.
bool Decider::is_alone(const Pod& pod, std::optional<Company>& known) const {
    if (!known || known->name_space != pod.name_space || known->labels != pod.labels ||
        known->controller != pod.controller) {
        known = Company{pod.name_space, pod.labels, pod.controller};
        known->spreads = pod.spread.empty() && (!spread_constraints(pod, cluster_, true).empty() ||
                                                !spread_constraints(pod, cluster_, false).empty());
    }
    if (known->spreads || cluster_.has_nominated(pod.priority)) {
        return false;
    }
    const auto try_terms = [&](const RunningTerms& terms, std::size_t& tried) {
        for (; !known->has_terms && tried < terms.all().size(); ++tried) {
            known->has_terms = terms.all()[tried].term->matches(
                pod.name_space, cluster_.namespace_labels(pod.name_space), pod.labels);
        }
    };
    if (pod.required_anti_affinity.empty()) {
        try_terms(cluster_.repelling_terms(), known->repelling_terms_tried);
    }
    try_terms(cluster_.scoring_terms(), known->scoring_terms_tried);
    return !known->has_terms;
}

std::variant<Choice, Feasible> Decider::decide(const Pod& pod) {
    Class* const kind = asks_each_node_alone(pod) ? &class_of(pod) : nullptr;
    const bool may_use_index = kind != nullptr && is_alone(pod, kind->company);
    const std::size_t nodes = cluster_.nodes().size();
    if (may_use_index && kind->looked_at >= nodes) {
        if (!kind->index) {
            kind->index.emplace(pod, cluster_);
        }
        if (const std::optional<Choice> choice = kind->index->choose()) {
            return *choice;
        }
    }
    Feasible found = find_feasible(pod, cluster_);
    const std::size_t evaluated = found.nodes.size() + found.diagnosis.verdicts.size();
    if (may_use_index) {
        kind->looked_at += evaluated;
    }
    if (found.nodes.empty()) {
        return found;
    }
    return Choice{choose_node(pod, cluster_, found), found.nodes.size(), evaluated};
}

}  // namespace berth::core::kube
