#pragma once

#include "core/support/value.hpp"
#include "schedulers/kube/decide/configuration.hpp"
#include "schedulers/kube/run/pod_groups.hpp"

namespace berth::experiments {

/// Reads the key `gangs` of `kube`: PodGroups as in the API scheduling.k8s.io/v1alpha2, and whether
/// a gang preempts as a whole.
[[nodiscard]] sim::GangSettings read_gangs(const core::Value& value,
                                           core::kube::SchedulerVersion version,
                                           core::Diagnostics& diagnostics);

}  // namespace berth::experiments
