#pragma once

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/pod_types.hpp"

namespace berth::experiments {

/// Reads the source `running`: the pods of a listed cluster, each on its node from the start. With
/// `pending`, those without a node join the queue at 0 s.
///
/// Errors: recorded for a pod on a node that the topology lacks, and for one that does not fit
///         beside those before it. With `lenient`, such pods are left out and counted in a warning.
[[nodiscard]] JobList read_running(const core::Value& value,
                                   const PodTypes& types,
                                   PodLabels& labels,
                                   const core::Topology& tree,
                                   core::Diagnostics& diagnostics);

/// Adds every resource that pods of such sources request to the schema.
void add_running_resources(const core::Value* sources, core::ResourceSchema& schema);

/// Whether any pod of such sources requests a share of a GPU.
[[nodiscard]] bool any_runs_on_shares(const core::Value* sources);

}  // namespace berth::experiments
