#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kube/decide/device_claims.hpp"
#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"
#include "schedulers/kube/decide/verdict.hpp"

namespace berth::core::kube {

/// What plugins learn of a pod and the cluster before they filter nodes.
struct CycleState {
    Amounts requests;
    std::vector<HostPort> ports;
    std::optional<SpreadState> spread;
    std::optional<AffinityState> affinity;
    std::optional<AskedClaims> claims;  ///< They last until claims change.

    /// Counts a pod that comes to a node (1) or leaves it (-1).
    void update(const CountedPod& other, const Pod& pod, const NodeState& node, int change);
};

/// The result of the extension point PreFilter.
struct PreFilter {
    /// If the pod cannot run on any node, why. No node is filtered then.
    Verdict verdict;
    /// The only nodes on which the pod may run, if a plugin names them, and these plugins.
    std::optional<std::set<std::string>> nodes;
    std::set<std::string_view> plugins;
    CycleState state;
};
[[nodiscard]] PreFilter prefilter(const Pod& pod, Cluster& cluster);

/// The first rejection of a node in the order of the plugins, or success.
[[nodiscard]] Verdict filter(const Pod& pod,
                             const NodeState& node,
                             const CycleState& state,
                             const Configuration& configuration);

/// The same, but a node must also have room for the pods of at least the same priority that wait
/// for it.
[[nodiscard]] Verdict filter_with_nominated(const Pod& pod,
                                            const NodeState& node,
                                            const CycleState& state,
                                            const Cluster& cluster);

}  // namespace berth::core::kube
