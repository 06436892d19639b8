#pragma once

#include "core/support/value.hpp"
#include "schedulers/kube/run/kube_settings.hpp"

namespace berth::experiments {

/// Reduces an object of a cluster to what read_objects_of_run() reads. Returns: whether that is
/// anything; Nodes and Pods belong to other parts of an experiment.
bool trim_object_of_run(core::Value& object);

/// Reads Services, the objects that control pods, Namespaces, PodDisruptionBudgets,
/// PriorityClasses, and objects about devices. An object
/// that states no namespace is in `default`. One warning counts objects of other kinds.
/// Errors: recorded at their places.
[[nodiscard]] sim::KubeClusterObjects read_objects_of_run(const core::Value& list,
                                                          core::Diagnostics& diagnostics);

}  // namespace berth::experiments
