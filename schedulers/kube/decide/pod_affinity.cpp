#include "schedulers/kube/decide/pod_affinity.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace berth::core::kube {
namespace {

/// A term of the pod that is to be placed, with the names of the namespaces that its selector
/// matches. Up to 1.36, kube-scheduler still tries the selector on a namespace without labels then;
/// since 1.37, only the names count.
PodTerm with_namespaces(PodTerm term, const Cluster& cluster) {
    if (!term.namespace_selector.matches_everything()) {
        for (const auto& [name, labels] : cluster.namespaces()) {
            if (term.namespace_selector.matches(labels)) {
                term.namespaces.insert(name);
            }
        }
        if (cluster.configuration().version >= SchedulerVersion::v1_37) {
            term.namespace_selector = LabelSelector();
        }
    }
    return term;
}

std::vector<PodTerm> with_namespaces(const std::vector<PodTerm>& terms, const Cluster& cluster) {
    std::vector<PodTerm> read;
    for (const PodTerm& term : terms) {
        read.push_back(with_namespaces(term, cluster));
    }
    return read;
}

/// Whether a term of the pod that is to be placed matches another pod.
bool matches_other(const PodTerm& term, const Pod& other) {
    return term.matches(other.name_space, {}, other.labels);
}

PodQuery::Part part_of(const PodTerm& term) {
    return {term.pods, term.namespaces, term.namespace_selector.matches({})};
}

/// Sums of weights by label, for preferred terms.
class AffinityScorer {
public:
    AffinityScorer(const Pod& pod, Cluster& cluster)
        : pod_(pod),
          cluster_(cluster),
          namespace_labels_(cluster.namespace_labels(pod.name_space)),
          affinity_(pod.preferred_affinity),
          anti_affinity_(pod.preferred_anti_affinity) {
        for (auto* terms : {&affinity_, &anti_affinity_}) {
            for (PreferredPodTerm& preferred : *terms) {
                preferred.term = with_namespaces(std::move(preferred.term), cluster);
            }
        }
    }

    [[nodiscard]] std::optional<std::vector<std::int64_t>> scores(
        const std::vector<std::size_t>& nodes) {
        add_own(affinity_, 1);
        add_own(anti_affinity_, -1);
        add_others();
        if (!has_match_) {
            return std::nullopt;
        }
        std::vector<std::int64_t> raw;
        for (const std::size_t node : nodes) {
            std::int64_t sum = 0;
            for (const auto& [key, sums] : sums_.all()) {
                sum += sums.of(node);
            }
            raw.push_back(sum);
        }
        return normalised(raw);
    }

private:
    /// Adds the pods that match preferred terms of the pod.
    void add_own(const std::vector<PreferredPodTerm>& terms, int sign) {
        for (const auto& [term, weight] : terms) {
            const std::vector<std::int64_t>& counts = cluster_.count({{part_of(term)}, false});
            CountsByValue& sums = sums_.at(term.topology_key, cluster_);
            for (std::size_t node = 0; node < counts.size(); ++node) {
                if (counts[node] > 0) {
                    sums.add(node, sign * weight * counts[node]);
                    has_match_ = has_match_ || sums.has(node);
                }
            }
        }
    }

    /// Adds the pods with terms that match the pod.
    void add_others() {
        for (const auto& [term, weights] : cluster_.scoring_terms().all()) {
            if (!term->matches(pod_.name_space, namespace_labels_, pod_.labels)) {
                continue;
            }
            CountsByValue& sums = sums_.at(term->topology_key, cluster_);
            for (const auto& [node, weight] : weights) {
                sums.add(node, weight);
                has_match_ = has_match_ || sums.has(node);
            }
        }
    }

    static std::vector<std::int64_t> normalised(const std::vector<std::int64_t>& raw) {
        const auto [least, most] = std::ranges::minmax(raw);
        std::vector<std::int64_t> scores;
        for (const std::int64_t score : raw) {
            scores.push_back(affinity_points(score, least, most));
        }
        return scores;
    }

    const Pod& pod_;
    Cluster& cluster_;
    const Labels& namespace_labels_;
    std::vector<PreferredPodTerm> affinity_;
    std::vector<PreferredPodTerm> anti_affinity_;
    CountsByLabel sums_;
    bool has_match_ = false;
};

}  // namespace

PodQuery query_of(const PodTerm& term, const Cluster& cluster) {
    return {{part_of(with_namespaces(term, cluster))}, false};
}

std::optional<AffinityState> AffinityState::of(const Pod& pod, Cluster& cluster) {
    AffinityState state(cluster);
    state.affinity_ = with_namespaces(pod.required_affinity, cluster);
    state.anti_affinity_ = with_namespaces(pod.required_anti_affinity, cluster);
    state.namespace_labels_ = cluster.namespace_labels(pod.name_space);
    for (const auto& [term, pods] : cluster.repelling_terms().all()) {
        if (term->matches(pod.name_space, state.namespace_labels_, pod.labels)) {
            CountsByValue& counts = state.repelling_.at(term->topology_key, cluster);
            for (const auto& [node, count] : pods) {
                counts.add(node, count);
            }
        }
    }
    state.count_matching(cluster);
    if (state.repelling_.empty() && state.affinity_.empty() && state.anti_affinity_.empty()) {
        return std::nullopt;
    }
    return state;
}

void AffinityState::count_matching(Cluster& cluster) {
    const auto count =
        [&](const PodQuery& query, std::span<const PodTerm> terms, CountsByLabel& matching) {
            const std::vector<std::int64_t>& counts = cluster.count(query);
            for (const PodTerm& term : terms) {
                CountsByValue& of_term = matching.at(term.topology_key, cluster);
                for (std::size_t node = 0; node < counts.size(); ++node) {
                    of_term.add(node, counts[node]);
                }
            }
        };
    if (!affinity_.empty()) {
        PodQuery all;
        std::ranges::transform(affinity_, std::back_inserter(all.parts), part_of);
        count(all, affinity_, affine_);
    }
    for (const PodTerm& term : anti_affinity_) {
        count({{part_of(term)}, false}, std::span(&term, 1), repelled_);
    }
}

void AffinityState::update(const CountedPod& other,
                           const Pod& pod,
                           const NodeState& node,
                           int change) {
    const auto add = [&](CountsByLabel& counts, const PodTerm& term) {
        counts.at(term.topology_key, *cluster_).add(node.position(), change);
    };
    for (const PodTerm& term : other.pod.required_anti_affinity) {
        if (term.matches(pod.name_space, namespace_labels_, pod.labels)) {
            add(repelling_, term);
        }
    }
    const auto matches = [&](const PodTerm& term) { return matches_other(term, other.pod); };
    if (std::ranges::all_of(affinity_, matches)) {
        for (const PodTerm& term : affinity_) {
            add(affine_, term);
        }
    }
    for (const PodTerm& term : anti_affinity_) {
        if (matches(term)) {
            add(repelled_, term);
        }
    }
}

bool AffinityState::has_affine_pods(std::size_t node) const {
    return std::ranges::all_of(
        affinity_, [&](const PodTerm& term) { return affine_.at(term.topology_key).of(node) > 0; });
}

bool AffinityState::matches_itself(const Pod& pod) const {
    return std::ranges::all_of(affinity_,
                               [&](const PodTerm& term) { return matches_other(term, pod); });
}

Verdict AffinityState::filter(const Pod& pod, const NodeState& node) const {
    const std::size_t position = node.position();
    const bool has_keys = std::ranges::all_of(affinity_, [&](const PodTerm& term) {
        return affine_.at(term.topology_key).has(position);
    });
    if (!has_keys || (!has_affine_pods(position) && !(affine_.empty() && matches_itself(pod)))) {
        return {Code::unresolvable, {"node(s) didn't match pod affinity rules"}};
    }
    for (const PodTerm& term : anti_affinity_) {
        if (repelled_.at(term.topology_key).of(position) > 0) {
            return {Code::unschedulable, {"node(s) didn't match pod anti-affinity rules"}};
        }
    }
    const bool is_repelled = std::ranges::any_of(
        repelling_.all(), [&](const auto& counts) { return counts.second.of(position) > 0; });
    if (is_repelled) {
        return {Code::unschedulable, {"node(s) didn't satisfy existing pods anti-affinity rules"}};
    }
    return {};
}

bool has_terms(const Pod& pod) {
    return !pod.required_anti_affinity.empty() || !pod.preferred_affinity.empty() ||
           !pod.preferred_anti_affinity.empty();
}

std::int64_t affinity_points(std::int64_t sum, std::int64_t least, std::int64_t most) {
    const double share =
        most > least ? static_cast<double>(sum - least) / static_cast<double>(most - least) : 0;
    return static_cast<std::int64_t>(100.0 * share);
}

bool has_affinity_scores(const Pod& pod, const Cluster& cluster) {
    return !cluster.configuration().ignores_preferred_terms_of_existing_pods ||
           !pod.preferred_affinity.empty() || !pod.preferred_anti_affinity.empty();
}

std::optional<std::vector<std::int64_t>> affinity_scores(const Pod& pod,
                                                         Cluster& cluster,
                                                         const std::vector<std::size_t>& nodes) {
    return has_affinity_scores(pod, cluster) ? AffinityScorer(pod, cluster).scores(nodes)
                                             : std::nullopt;
}

}  // namespace berth::core::kube
