#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/gang_cycle.hpp"

namespace berth::core::kube {

/// The PodGroups whose running pods leave together (`disruptionMode: PodGroup`), by namespace and
/// name, with the priority that counts in place of those of their pods.
using WholeGroups = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// Who leaves for a whole gang.
struct GangVictims {
    std::vector<const CountedPod*> pods;  ///< The most important one comes first.
    /// Since 1.37: the node that each pod of the gang found without them, a position in the
    /// cluster, which is kept free for it. Empty in 1.36.
    std::vector<std::optional<std::size_t>> nodes;
};

/// Looks for the pods that leave for a whole gang that is unschedulable: of all pods of the cluster
/// that are less important than the group, as few as the search of Kubernetes leaves. The least
/// important ones go. In 1.36, pods may stay if the gang starts somewhere, and since 1.37, if its
/// pods fit on the nodes that they found without any of them. Other than in Kubernetes, pods of the
/// group itself stay.
///
/// Returns: no pods if the gang would not start without all of them.
/// Order:   of pods with one priority and one start, those of earlier nodes are spared first, where
///          Kubernetes takes any order.
/// Effect:  `next_start` of the cluster moves on, and nothing else changes.
/// Cost:    a copy of the cluster, and for each less important pod a cycle of the gang, or since
///          1.37 a filter for each pod of the gang.
/// Source:  Kubernetes, pkg/scheduler/framework/preemption/podgrouppreemption.go.
[[nodiscard]] GangVictims preempt_for_gang(const Gang& gang,
                                           std::int64_t group_priority,
                                           const WholeGroups& whole_groups,
                                           Cluster& cluster);

}  // namespace berth::core::kube
