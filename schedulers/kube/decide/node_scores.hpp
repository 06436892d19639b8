#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::core::kube {

/// What a pod asks for of the resources by which nodes are scored, and what nodes have of them.
class ResourceShares {
public:
    struct Share {
        Quantity before = 0;    ///< So much is in use without the pod.
        Quantity after = 0;     ///< So much is in use with the pod.
        Quantity capacity = 0;  ///< 0: the resource does not count.
    };
    struct Resource {
        std::string name;
        Quantity wanted = 0;
        bool is_scalar = false;
    };

    /// `as_requested`: amounts as filters count them. Otherwise containers that name no CPU or
    /// memory are assumed to use some, and requests of the pod as a whole do not count.
    ResourceShares(const Pod& pod,
                   const std::vector<std::string>& names,
                   bool as_requested,
                   SchedulerVersion version);

    [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
    [[nodiscard]] Share share(const NodeState& node, const Resource& resource) const;

private:
    std::vector<Resource> resources_;
    bool as_requested_;
};

/// The scores of a pod's nodes that depend on one node only: from 0 to 100, or not yet normalised.
class NodeScores {
public:
    /// The cluster must outlive the scores, and the pod need not.
    NodeScores(const Pod& pod, const Cluster& cluster);

    /// TaintToleration, not normalised: how many taints the pod would rather avoid.
    [[nodiscard]] std::int64_t taints(const NodeState& node) const;
    /// Whether NodeAffinity scores the pod, and its score, not normalised: the sum of the weights
    /// of preferred terms that match.
    [[nodiscard]] bool has_preferences() const { return has_preferences_; }
    [[nodiscard]] std::int64_t preference(const NodeState& node) const;
    /// NodeResourcesFit.
    [[nodiscard]] std::int64_t fit(const NodeState& node) const;
    /// Whether NodeResourcesBalancedAllocation scores the pod, and its score.
    [[nodiscard]] bool has_balance() const;
    [[nodiscard]] std::int64_t balance(const NodeState& node) const;
    /// ImageLocality.
    [[nodiscard]] std::int64_t images(const NodeState& node) const;

private:
    const Cluster& cluster_;
    std::vector<Toleration> tolerations_;  ///< They count for taints that are to be avoided.
    bool has_preferences_;
    std::vector<PreferredNodeTerm> preferences_;
    ResourceShares fit_;
    ResourceShares balance_;
    std::vector<std::string> images_;
    std::int64_t most_image_bytes_;
};

/// Normalised scores of 0 to 100, of which `most` gets 100 or, if few is better, 0.
[[nodiscard]] std::int64_t points_for_many(std::int64_t number, std::int64_t most);
[[nodiscard]] std::int64_t points_for_few(std::int64_t number, std::int64_t most);

/// Why the preferred node affinity of a pod cannot be parsed; empty if it can.
[[nodiscard]] std::string fault_of_preferences(const Pod& pod);

}  // namespace berth::core::kube
