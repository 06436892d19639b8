#include "schedulers/kube/decide/topology_spread.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/support/rounded_math.hpp"
#include "schedulers/kube/decide/node_rules.hpp"

namespace berth::core::kube {
namespace {

constexpr const char* hostname = "kubernetes.io/hostname";

std::vector<SpreadConstraint> system_defaults() {
    SpreadConstraint by_host;
    by_host.topology_key = hostname;
    by_host.max_skew = 3;
    by_host.is_hard = false;
    SpreadConstraint by_zone = by_host;
    by_zone.topology_key = "topology.kubernetes.io/zone";
    by_zone.max_skew = 5;
    return {by_host, by_zone};
}

std::vector<LabelExpression> equal_to(const Labels& labels) {
    std::vector<LabelExpression> conditions;
    for (const auto& [key, value] : labels) {
        conditions.push_back({key, LabelExpression::Operator::in, {value}});
    }
    return conditions;
}

/// The labels that a selector of equal labels names. Later selectors of an owner replace them.
void merge_labels(const LabelSelector& selector, Labels& labels) {
    for (const LabelExpression& condition : selector.conditions()) {
        labels.insert_or_assign(condition.key, condition.values.front());
    }
}

PodOwner::Kind kind_of(const Owner& owner) {
    if (owner.api_version == "v1" && owner.kind == "ReplicationController") {
        return PodOwner::Kind::replication_controller;
    }
    if (owner.api_version == "apps/v1" && owner.kind == "ReplicaSet") {
        return PodOwner::Kind::replica_set;
    }
    return owner.api_version == "apps/v1" && owner.kind == "StatefulSet"
               ? PodOwner::Kind::stateful_set
               : PodOwner::Kind::service;
}

/// What selects the pods among which a pod without constraints is spread: the Services that select
/// it, and the object that controls it.
LabelSelector default_selector(const Pod& pod, const Cluster& cluster) {
    Labels labels;
    std::vector<LabelExpression> more;
    for (const PodOwner& owner : cluster.owners()) {
        if (owner.kind == PodOwner::Kind::service && owner.name_space == pod.name_space &&
            owner.pods.matches(pod.labels)) {
            merge_labels(owner.pods, labels);
        }
    }
    const PodOwner::Kind kind = pod.controller ? kind_of(*pod.controller) : PodOwner::Kind::service;
    for (const PodOwner& owner : cluster.owners()) {
        if (kind == PodOwner::Kind::service || owner.kind != kind ||
            owner.name_space != pod.name_space || owner.name != pod.controller->name) {
            continue;
        }
        if (kind == PodOwner::Kind::replication_controller) {
            merge_labels(owner.pods, labels);
        } else {
            more = owner.pods.conditions();
        }
    }
    std::vector<LabelExpression> conditions = equal_to(labels);
    conditions.insert(conditions.end(), more.begin(), more.end());
    return LabelSelector(std::move(conditions));
}

/// How many pods of the namespace a selector matches, for each node. One that matches everything
/// counts nothing.
std::vector<std::int64_t> count_pods(const LabelSelector& selector,
                                     const std::string& name_space,
                                     Cluster& cluster) {
    if (selector.matches_everything()) {
        return std::vector<std::int64_t>(cluster.nodes().size(), 0);
    }
    return cluster.count({{{selector, {name_space}, false}}, true});
}

/// Whether the node counts for a constraint of the pod.
bool is_counted(const SpreadConstraint& constraint, const Pod& pod, const Node& node) {
    return (!constraint.honors_affinity || matches_node_rules(pod, node)) &&
           !(constraint.honors_taints && has_untolerated_taint(pod, node));
}

/// The scores by constraints that are not hard, step by step.
class SpreadScorer {
public:
    SpreadScorer(const Pod& pod, Cluster& cluster, std::vector<SpreadConstraint> constraints)
        : pod_(pod),
          cluster_(cluster),
          constraints_(std::move(constraints)),
          needs_all_keys_(!pod.spread.empty() || cluster.configuration().default_constraints),
          counts_(constraints_.size()) {
        for (const SpreadConstraint& constraint : constraints_) {
            pods_.push_back(count_pods(constraint.pods, pod.name_space, cluster));
        }
    }

    [[nodiscard]] std::vector<std::int64_t> scores(const std::vector<std::size_t>& nodes) {
        find_domains(nodes);
        count();
        std::vector<std::int64_t> raw;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            raw.push_back(ignored_[i] ? 0 : raw_score(nodes[i]));
        }
        return normalised(raw);
    }

private:
    [[nodiscard]] bool is_ignored(const Labels& labels) const {
        return needs_all_keys_ &&
               !std::ranges::all_of(constraints_, [&](const SpreadConstraint& constraint) {
                   return labels.contains(constraint.topology_key);
               });
    }

    static std::string value_of(const Labels& labels, const std::string& key) {
        const auto found = labels.find(key);
        return found == labels.end() ? std::string() : found->second;
    }

    void find_domains(const std::vector<std::size_t>& nodes) {
        std::size_t counted = 0;
        for (const std::size_t node : nodes) {
            const Labels& labels = cluster_.nodes()[node].node().labels;
            ignored_.push_back(is_ignored(labels));
            if (ignored_.back()) {
                continue;
            }
            ++counted;
            for (std::size_t i = 0; i < constraints_.size(); ++i) {
                if (constraints_[i].topology_key != hostname) {
                    counts_[i].try_emplace(value_of(labels, constraints_[i].topology_key), 0);
                }
            }
        }
        for (std::size_t i = 0; i < constraints_.size(); ++i) {
            const bool by_host = constraints_[i].topology_key == hostname;
            const std::size_t size = by_host ? counted : counts_[i].size();
            weights_.push_back(rounded_log(static_cast<double>(size + 2)));
        }
    }

    void count() {
        for (std::size_t node = 0; node < cluster_.nodes().size(); ++node) {
            const Node& object = cluster_.nodes()[node].node();
            const Labels& labels = object.labels;
            if (is_ignored(labels)) {
                continue;
            }
            for (std::size_t i = 0; i < constraints_.size(); ++i) {
                if (counts_[i].empty()) {
                    continue;
                }
                const auto domain = counts_[i].find(value_of(labels, constraints_[i].topology_key));
                if (domain != counts_[i].end() && is_counted(constraints_[i], pod_, object)) {
                    domain->second += pods_[i][node];
                }
            }
        }
    }

    [[nodiscard]] std::int64_t raw_score(std::size_t node) const {
        const Labels& labels = cluster_.nodes()[node].node().labels;
        double score = 0;
        for (std::size_t i = 0; i < constraints_.size(); ++i) {
            const SpreadConstraint& constraint = constraints_[i];
            const auto label = labels.find(constraint.topology_key);
            if (label == labels.end()) {
                continue;
            }
            const std::int64_t pods =
                constraint.topology_key == hostname ? pods_[i][node] : counts_[i].at(label->second);
            score += static_cast<double>(pods) * weights_[i] +
                     static_cast<double>(constraint.max_skew - 1);
        }
        return std::llround(score);
    }

    [[nodiscard]] std::vector<std::int64_t> normalised(const std::vector<std::int64_t>& raw) const {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::int64_t most = 0;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            if (!ignored_[i]) {
                least = std::min(least, raw[i]);
                most = std::max(most, raw[i]);
            }
        }
        std::vector<std::int64_t> scores;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            scores.push_back(ignored_[i] ? 0
                             : most == 0 ? 100
                                         : 100 * (most + least - raw[i]) / most);
        }
        return scores;
    }

    const Pod& pod_;
    const Cluster& cluster_;
    std::vector<SpreadConstraint> constraints_;
    bool needs_all_keys_;
    std::vector<std::vector<std::int64_t>> pods_;              ///< Of each constraint, by node.
    std::vector<std::map<std::string, std::int64_t>> counts_;  ///< Of each constraint, by value.
    std::vector<bool> ignored_;                                ///< Of the nodes that are scored.
    std::vector<double> weights_;
};

}  // namespace

std::vector<SpreadConstraint> spread_constraints(const Pod& pod,
                                                 const Cluster& cluster,
                                                 bool hard) {
    const auto of_this_kind = [&](const std::vector<SpreadConstraint>& all) {
        std::vector<SpreadConstraint> chosen;
        std::ranges::copy_if(all, std::back_inserter(chosen), [&](const auto& constraint) {
            return constraint.is_hard == hard;
        });
        return chosen;
    };
    if (!pod.spread.empty()) {
        return of_this_kind(pod.spread);
    }
    const auto& defaults = cluster.configuration().default_constraints;
    std::vector<SpreadConstraint> chosen = of_this_kind(defaults ? *defaults : system_defaults());
    if (chosen.empty()) {
        return chosen;
    }
    const LabelSelector selector = default_selector(pod, cluster);
    if (selector.matches_everything()) {
        return {};
    }
    for (SpreadConstraint& constraint : chosen) {
        constraint.pods = selector;
    }
    return chosen;
}

void CriticalPaths::update(const std::string& value, std::int64_t count) {
    auto& [first, second] = paths_;
    if (value == first.first || value == second.first) {
        (value == first.first ? first : second).second = count;
        if (first.second > second.second) {
            std::swap(first, second);
        }
    } else if (count < first.second) {
        second = std::exchange(first, {value, count});
    } else if (count < second.second) {
        second = {value, count};
    }
}

std::optional<SpreadState> SpreadState::of(const Pod& pod, Cluster& cluster) {
    SpreadState state;
    for (SpreadConstraint& constraint : spread_constraints(pod, cluster, true)) {
        state.domains_.push_back({std::move(constraint), {}, {}});
    }
    if (state.domains_.empty()) {
        return std::nullopt;
    }
    for (Domains& domains : state.domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        const std::vector<std::int64_t> pods = count_pods(constraint.pods, pod.name_space, cluster);
        for (std::size_t i = 0; i < cluster.nodes().size(); ++i) {
            const Node& node = cluster.nodes()[i].node();
            if (state.has_all_keys(node.labels) && is_counted(constraint, pod, node)) {
                domains.counts[node.labels.at(constraint.topology_key)] += pods[i];
            }
        }
    }
    for (Domains& domains : state.domains_) {
        for (const auto& [value, count] : domains.counts) {
            domains.paths.update(value, count);
        }
    }
    return state;
}

bool SpreadState::has_all_keys(const Labels& labels) const {
    return std::ranges::all_of(domains_, [&](const Domains& domains) {
        return labels.contains(domains.constraint.topology_key);
    });
}

void SpreadState::update(const CountedPod& other,
                         const Pod& pod,
                         const NodeState& node,
                         int change) {
    const Labels& labels = node.node().labels;
    if (other.pod.name_space != pod.name_space || !has_all_keys(labels)) {
        return;
    }
    for (Domains& domains : domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        if (constraint.pods.matches(other.pod.labels) && is_counted(constraint, pod, node.node())) {
            const std::string& value = labels.at(constraint.topology_key);
            domains.paths.update(value, domains.counts[value] += change);
        }
    }
}

Verdict SpreadState::filter(const Pod& pod, const NodeState& node) const {
    for (const Domains& domains : domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        const auto label = node.node().labels.find(constraint.topology_key);
        if (label == node.node().labels.end()) {
            return {Code::unresolvable,
                    {"node(s) didn't match pod topology spread constraints (missing required "
                     "label)"}};
        }
        const bool lacks_domains =
            static_cast<std::int64_t>(domains.counts.size()) < constraint.min_domains;
        const std::int64_t least = lacks_domains ? 0 : domains.paths.least();
        const auto count = domains.counts.find(label->second);
        const std::int64_t own = constraint.pods.matches(pod.labels) ? 1 : 0;
        if ((count == domains.counts.end() ? 0 : count->second) + own - least >
            constraint.max_skew) {
            return {Code::unschedulable, {"node(s) didn't match pod topology spread constraints"}};
        }
    }
    return {};
}

std::optional<std::vector<std::int64_t>> spread_scores(const Pod& pod,
                                                       Cluster& cluster,
                                                       const std::vector<std::size_t>& nodes) {
    std::vector<SpreadConstraint> constraints = spread_constraints(pod, cluster, false);
    if (constraints.empty()) {
        return std::nullopt;
    }
    return SpreadScorer(pod, cluster, std::move(constraints)).scores(nodes);
}

}  // namespace berth::core::kube
