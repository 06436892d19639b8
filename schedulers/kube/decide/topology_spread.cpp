#include "schedulers/kube/decide/topology_spread.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

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
    for (const PodOwner& owner : cluster.owners()) {
        if (!controls(owner, pod)) {
            continue;
        }
        if (owner.kind == PodOwner::Kind::replication_controller) {
            merge_labels(owner.pods, labels);
        } else {
            more = owner.pods.conditions();
        }
    }
    std::vector<LabelExpression> conditions = equal_to(labels);
    conditions.insert(conditions.end(), more.begin(), more.end());
    return LabelSelector(std::move(conditions));
}

/// How many pods a query matches, for each node.
std::vector<std::int64_t> count_pods(const std::optional<PodQuery>& query, Cluster& cluster) {
    return query ? cluster.count(*query) : std::vector<std::int64_t>(cluster.nodes().size(), 0);
}

/// The scores by constraints that are not hard, step by step.
class SpreadScorer {
public:
    SpreadScorer(const Pod& pod, Cluster& cluster, std::vector<SpreadConstraint> constraints)
        : pod_(pod), cluster_(cluster), needs_all_keys_(needs_all_keys(pod, cluster)) {
        for (SpreadConstraint& constraint : constraints) {
            Domains& domains = domains_.emplace_back();
            domains.by_host = is_by_host(constraint);
            domains.pods = count_pods(query_of(constraint.pods, pod.name_space), cluster);
            domains.label = cluster.label(constraint.topology_key);
            domains.counts.resize(domains.label->count);
            domains.is_scored.resize(domains.label->count);
            domains.constraint = std::move(constraint);
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
    struct Domains {
        SpreadConstraint constraint;
        bool by_host = false;
        std::vector<std::int64_t> pods;  ///< By node.
        std::shared_ptr<const NodeLabel> label;
        std::vector<std::int64_t> counts;  ///< By value, unless each node is a domain.
        std::vector<bool> is_scored;       ///< Whether a node that is scored has this value.
        std::size_t size = 0;              ///< So many domains have a node that is scored.
        double weight = 0;

        [[nodiscard]] bool has(std::size_t node) const {
            return label->of_node[node] != NodeLabel::missing;
        }
        /// A missing label counts as an empty one.
        [[nodiscard]] std::uint32_t value(std::size_t node) const {
            return std::max(label->of_node[node], NodeLabel::empty);
        }
    };

    [[nodiscard]] bool is_ignored(std::size_t node) const {
        return needs_all_keys_ && !std::ranges::all_of(domains_, [&](const Domains& domains) {
                   return domains.has(node);
               });
    }

    void find_domains(const std::vector<std::size_t>& nodes) {
        for (const std::size_t node : nodes) {
            ignored_.push_back(is_ignored(node));
            if (ignored_.back()) {
                continue;
            }
            for (Domains& domains : domains_) {
                const std::uint32_t value = domains.value(node);
                domains.size += domains.by_host || !domains.is_scored[value] ? 1 : 0;
                domains.is_scored[value] = true;
            }
        }
        for (Domains& domains : domains_) {
            domains.weight = spread_weight(domains.size);
        }
    }

    void count() {
        for (Domains& domains : domains_) {
            if (domains.by_host) {
                continue;
            }
            for (const NodeState& node : cluster_.nodes()) {
                const std::size_t position = node.position();
                const std::uint32_t value = domains.value(position);
                if (domains.is_scored[value] && !is_ignored(position) &&
                    is_counted(domains.constraint, pod_, node.node())) {
                    domains.counts[value] += domains.pods[position];
                }
            }
        }
    }

    [[nodiscard]] std::int64_t raw_score(std::size_t node) const {
        double score = 0;
        for (const Domains& domains : domains_) {
            if (!domains.has(node)) {
                continue;
            }
            const std::int64_t pods =
                domains.by_host ? domains.pods[node] : domains.counts[domains.value(node)];
            score += spread_share(pods, domains.weight, domains.constraint.max_skew);
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
            scores.push_back(ignored_[i] ? 0 : spread_points(raw[i], least, most));
        }
        return scores;
    }

    const Pod& pod_;
    const Cluster& cluster_;
    bool needs_all_keys_;
    std::vector<Domains> domains_;  ///< Of each constraint.
    std::vector<bool> ignored_;     ///< Of the nodes that are scored.
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

bool is_by_host(const SpreadConstraint& constraint) {
    return constraint.topology_key == hostname;
}

bool needs_all_keys(const Pod& pod, const Cluster& cluster) {
    return !pod.spread.empty() || cluster.configuration().default_constraints.has_value();
}

double spread_weight(std::size_t domains) {
    return rounded_log(static_cast<double>(domains + 2));
}

double spread_share(std::int64_t pods, double weight, std::int64_t max_skew) {
    return static_cast<double>(pods) * weight + static_cast<double>(max_skew - 1);
}

std::int64_t spread_points(std::int64_t score, std::int64_t least, std::int64_t most) {
    return most == 0 ? 100 : 100 * (most + least - score) / most;
}

std::optional<PodQuery> query_of(const LabelSelector& selector, const std::string& name_space) {
    if (selector.matches_everything()) {
        return std::nullopt;
    }
    return PodQuery{{{selector, {name_space}, false}}, true};
}

bool is_counted(const SpreadConstraint& constraint, const Pod& pod, const Node& node) {
    return (!constraint.honors_affinity || matches_node_rules(pod, node)) &&
           !(constraint.honors_taints && has_untolerated_taint(pod, node));
}

void CriticalPaths::update(std::uint32_t value, std::int64_t count) {
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
        Domains& domains = state.domains_.emplace_back();
        domains.label = cluster.label(constraint.topology_key);
        domains.counts.resize(domains.label->count);
        domains.constraint = std::move(constraint);
    }
    if (state.domains_.empty()) {
        return std::nullopt;
    }
    for (Domains& domains : state.domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        const std::vector<std::int64_t> pods =
            count_pods(query_of(constraint.pods, pod.name_space), cluster);
        std::vector<bool> is_counted_value(domains.counts.size());
        for (const NodeState& node : cluster.nodes()) {
            const std::size_t position = node.position();
            if (state.has_all_keys(position) && is_counted(constraint, pod, node.node())) {
                const std::uint32_t value = domains.label->of_node[position];
                domains.counts[value] += pods[position];
                is_counted_value[value] = true;
            }
        }
        for (std::uint32_t value = 0; value < domains.label->count; ++value) {
            if (is_counted_value[value]) {
                ++domains.size;
                domains.paths.update(value, domains.counts[value]);
            }
        }
    }
    return state;
}

bool SpreadState::has_all_keys(std::size_t node) const {
    return std::ranges::all_of(domains_, [&](const Domains& domains) {
        return domains.label->of_node[node] != NodeLabel::missing;
    });
}

void SpreadState::update(const CountedPod& other,
                         const Pod& pod,
                         const NodeState& node,
                         int change) {
    if (other.pod.name_space != pod.name_space || !has_all_keys(node.position())) {
        return;
    }
    for (Domains& domains : domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        if (constraint.pods.matches(other.pod.labels) && is_counted(constraint, pod, node.node())) {
            const std::uint32_t value = domains.label->of_node[node.position()];
            domains.paths.update(value, domains.counts[value] += change);
        }
    }
}

Verdict SpreadState::filter(const Pod& pod, const NodeState& node) const {
    for (const Domains& domains : domains_) {
        const SpreadConstraint& constraint = domains.constraint;
        const std::uint32_t value = domains.label->of_node[node.position()];
        if (value == NodeLabel::missing) {
            return {Code::unresolvable,
                    {"node(s) didn't match pod topology spread constraints (missing required "
                     "label)"}};
        }
        const std::int64_t least =
            domains.size < constraint.min_domains ? 0 : domains.paths.least();
        const std::int64_t own = constraint.pods.matches(pod.labels) ? 1 : 0;
        if (domains.counts[value] + own - least > constraint.max_skew) {
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
