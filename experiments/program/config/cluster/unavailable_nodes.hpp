#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Leaves out of a run the servers that cannot take pods by their own Node objects, as a cluster
/// lists them: those that are cordoned (`spec.unschedulable`) and those whose condition `Ready` is
/// not `True`; and the running pods on them. `topology` is the experiment's, resolved; with
/// `nodes: {unavailable: keep}` they stay. A warning says how many there are and which, and another
/// one that taints keep some pods away and others not, where nodes have some of their own.
/// `pods_go_anywhere`: pods of documents say nothing of nodes.
/// The workload and the failures of `spec` have been read.
void leave_out_unavailable_nodes(const core::Value& topology,
                                 bool pods_go_anywhere,
                                 ExperimentSpec& spec,
                                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
