#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::sim {

/// Something that happened to a pod with a node, to a node, or to a claim that no pod used.
struct ClusterEvent {
    enum class Kind : std::uint8_t {
        pod_added,
        pod_deleted,
        node_added,
        node_deleted,
        claim_deallocated,
    };
    Kind kind = Kind::pod_deleted;
    const core::kube::Pod* pod = nullptr;    ///< Set if it is about a pod.
    const core::kube::Node* node = nullptr;  ///< Set if it is about a node.
    bool frees_devices = false;              ///< A claim has lost its devices.
};

/// Whether an event may help a pod that these plugins rejected: whether one of them asks to queue
/// it again.
/// Source: Kubernetes, the QueueingHintFn of each plugin.
[[nodiscard]] bool may_help(const ClusterEvent& event,
                            const core::kube::Pod& waiting,
                            const std::set<std::string_view>& rejected_by,
                            const core::kube::Cluster& cluster);

}  // namespace berth::sim
