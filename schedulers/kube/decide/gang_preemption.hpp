#pragma once

#include <cstdint>
#include <vector>

#include "schedulers/kube/decide/gang_cycle.hpp"

namespace berth::core::kube {

/// Looks for the pods that leave for a whole gang that is unschedulable: of all pods of the cluster
/// that are less important than the group, as few as the search of Kubernetes leaves. The least
/// important ones go. Other than in Kubernetes, pods of the group itself stay.
///
/// Returns: the most important one first; nothing if the gang would not start without all of them.
/// Order:   of pods with one priority and one start, those of earlier nodes are spared first, where
///          Kubernetes takes any order.
/// Effect:  `next_start` of the cluster moves on, and nothing else changes.
/// Cost:    a copy of the cluster, and a cycle of the gang for each less important pod.
/// Source:  Kubernetes 1.36, pkg/scheduler/framework/preemption/podgrouppreemption.go.
[[nodiscard]] std::vector<const CountedPod*> preempt_for_gang(const Gang& gang,
                                                              std::int64_t group_priority,
                                                              Cluster& cluster);

}  // namespace berth::core::kube
