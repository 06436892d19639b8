#include "schedulers/kube/decide/decider.hpp"

#include <algorithm>

#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {

/// Its own constraints on how it spreads, or the default ones.
const std::vector<SpreadConstraint>& Decider::constraints_of(const Pod& pod) {
    if (!pod.spread.empty()) {
        return pod.spread;
    }
    if (!defaults_ || defaults_->name_space != pod.name_space || defaults_->labels != pod.labels ||
        defaults_->controller != pod.controller) {
        defaults_ = Defaults{pod.name_space, pod.labels, pod.controller, {}};
        for (const bool is_hard : {true, false}) {
            const auto some = spread_constraints(pod, cluster_, is_hard);
            defaults_->constraints.insert(defaults_->constraints.end(), some.begin(), some.end());
        }
    }
    return defaults_->constraints;
}

/// The class of a pod, which then comes first.
Decider::Class& Decider::class_of(const Pod& pod) {
    constexpr std::size_t most = 32;
    const std::vector<SpreadConstraint>& constraints = constraints_of(pod);
    const auto known = std::ranges::find_if(classes_, [&](const Class& other) {
        return other.constraints == constraints && is_alike(other.pod, pod, constraints);
    });
    if (known != classes_.end()) {
        classes_.splice(classes_.begin(), classes_, known);
    } else {
        if (classes_.size() == most) {
            classes_.pop_back();
        }
        Class& added = classes_.emplace_front();
        added.pod = pod;
        added.constraints = constraints;
    }
    return classes_.front();
}

/// Whether no other pod counts for this one, but as the index of its class knows. `known` is the
/// company of a pod of the same class.
bool Decider::is_alone(const Pod& pod, std::optional<Company>& known) const {
    if (cluster_.has_nominated(pod.priority)) {
        return false;
    }
    if (has_terms(pod)) {
        return true;
    }
    if (!known || known->name_space != pod.name_space || known->labels != pod.labels) {
        known = Company{pod.name_space, pod.labels};
    }
    const auto try_terms = [&](const RunningTerms& terms, std::size_t& tried) {
        for (; !known->has_terms && tried < terms.all().size(); ++tried) {
            known->has_terms = terms.all()[tried].term->matches(
                pod.name_space, cluster_.namespace_labels(pod.name_space), pod.labels);
        }
    };
    try_terms(cluster_.repelling_terms(), known->repelling_terms_tried);
    if (has_affinity_scores(pod, cluster_)) {
        try_terms(cluster_.scoring_terms(), known->scoring_terms_tried);
    }
    return !known->has_terms;
}

/// The choice of the index, if there is one. It is made if pods cost as much without it.
std::optional<Choice> Decider::choose_by_index(Class& kind) {
    if (!kind.index) {
        if (kind.looked_at < cluster_.nodes().size() || !kind.has_few_layers) {
            return std::nullopt;
        }
        kind.has_few_layers = CompanyScores::are_few_layers(kind.pod, cluster_);
        if (!kind.has_few_layers) {
            return std::nullopt;
        }
        kind.index.emplace(kind.pod, cluster_);
    }
    const std::optional<Choice> choice = kind.index->choose();
    if (kind.index->has_too_many_layers()) {
        kind.index.reset();
        kind.looked_at = 0;
    }
    return choice;
}

std::variant<Choice, Feasible> Decider::decide(const Pod& pod, Among among) {
    Class* const kind =
        among == nullptr && asks_each_node_alone(pod) && cluster_.claims().asks_each_node_alone(pod)
            ? &class_of(pod)
            : nullptr;
    const bool may_use_index = kind != nullptr && is_alone(pod, kind->company);
    if (may_use_index) {
        if (const std::optional<Choice> choice = choose_by_index(*kind)) {
            return *choice;
        }
    }
    Feasible found = find_feasible(pod, cluster_, among);
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
