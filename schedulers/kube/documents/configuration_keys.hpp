#pragma once

#include "core/support/value.hpp"

namespace berth::experiments {

/// Checks the keys of a KubeSchedulerConfiguration and of its profiles, with the arguments of
/// Kubernetes' own plugins, as kube-scheduler does. Those of extenders, and of what concerns no
/// decision, are not looked at. Errors: recorded.
/// Source: Kubernetes, pkg/scheduler/apis/config, types of 1.36 and 1.37, and validation.
void check_configuration_keys(const core::Value& configuration, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
