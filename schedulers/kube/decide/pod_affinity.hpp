#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"
#include "schedulers/kube/decide/verdict.hpp"

// The plugin InterPodAffinity.
// Source: Kubernetes, pkg/scheduler/framework/plugins/interpodaffinity.

namespace berth::core::kube {

/// Which pods match a term of a pod that is to be placed.
[[nodiscard]] PodQuery query_of(const PodTerm& term, const Cluster& cluster);

/// The pods that match the required terms of a pod, or whose required anti-affinity it matches.
class AffinityState {
public:
    /// Nothing if there are no such pods and the pod has no such terms.
    [[nodiscard]] static std::optional<AffinityState> of(const Pod& pod, Cluster& cluster);

    /// Counts a pod that comes to a node (1) or leaves it (-1).
    void update(const CountedPod& other, const Pod& pod, const NodeState& node, int change);
    [[nodiscard]] Verdict filter(const Pod& pod, const NodeState& node) const;

private:
    explicit AffinityState(const Cluster& cluster) : cluster_(&cluster) {}
    void count_matching(Cluster& cluster);
    [[nodiscard]] bool has_affine_pods(std::size_t node) const;
    [[nodiscard]] bool matches_itself(const Pod& pod) const;

    const Cluster* cluster_;
    std::vector<PodTerm> affinity_;
    std::vector<PodTerm> anti_affinity_;
    Labels namespace_labels_;
    CountsByLabel repelling_;  ///< Pods whose anti-affinity the pod matches.
    CountsByLabel affine_;     ///< Pods that match all terms of its affinity.
    CountsByLabel repelled_;   ///< Pods that match a term of its anti-affinity.
};

/// Whether the pod keeps others away or prefers nodes by pods.
[[nodiscard]] bool has_terms(const Pod& pod);

/// From 0 to 100: a sum of weights of preferred terms, if these are the least and the greatest of
/// the nodes that are scored.
[[nodiscard]] std::int64_t affinity_points(std::int64_t sum, std::int64_t least, std::int64_t most);

/// Whether preferred terms score nodes for a pod.
[[nodiscard]] bool has_affinity_scores(const Pod& pod, const Cluster& cluster);

/// The scores of nodes, from 0 to 100, by preferred terms; nothing if no term matches any pod.
/// `nodes` are positions in the cluster.
[[nodiscard]] std::optional<std::vector<std::int64_t>> affinity_scores(
    const Pod& pod, Cluster& cluster, const std::vector<std::size_t>& nodes);

}  // namespace berth::core::kube
