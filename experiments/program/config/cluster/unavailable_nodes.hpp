#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Leaves out of a run the servers that cannot take pods according to their own Node objects: those
/// that are cordoned (`spec.unschedulable`) and those whose condition `Ready` is not `True`. The
/// pods that run on them are left out too. `topology` is that of the resolved experiment; with
/// `nodes: {unavailable: keep}` the servers stay. A warning tells how many servers there are and
/// which. Another warning, if nodes have taints of their own, tells that these keep only some pods
/// away. `pods_go_anywhere`: the pods in documents say nothing about nodes.
/// The workload and the failures of `spec` must have been read.
void leave_out_unavailable_nodes(const core::Value& topology,
                                 bool pods_go_anywhere,
                                 ExperimentSpec& spec,
                                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
