#pragma once

#include <memory>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {

/// Whether a document, or one in a `List`, is a Kueue object that describes how Kueue is set up. A
/// Workload is not: it is a job of a trace.
[[nodiscard]] bool holds_kueue_objects(const core::Value& document);

/// Whether a document, or one in a `List`, is a job that Kueue admits: a Workload, or a Job or Pod
/// that names a queue.
[[nodiscard]] bool holds_kueue_jobs(const core::Value& document);

/// Removes the jobs of a trace from a list of documents, and from each `List` among them:
/// Workloads, Jobs, Pods and PriorityClasses.
void leave_out_jobs(core::Value& documents);

/// Reads `scheduler.kueue`, `{objects: [...], grace: ...}`: Kueue's objects as
/// `kubectl get -o yaml` prints them, and its Configuration, in v1beta1 and v1beta2. The arguments
/// are those of SchedulerDocuments::read.
///
/// Errors: recorded at their places for what Kueue's webhooks refuse, for what is not modelled, by
///         its name, for a LocalQueue without its ClusterQueue, and for a ClusterQueue without its
///         ResourceFlavor.
[[nodiscard]] std::shared_ptr<const sim::AdmissionSettings> read_kueue(
    const core::Value& value,
    const core::Topology* tree,
    bool placer_reads_labels,
    core::Diagnostics& diagnostics);

/// Checks objects without a run, such as those of a file, against the rules of Kueue's webhooks.
///
/// Errors: recorded at their places as in read_kueue(). An object that another refers to may be
///         elsewhere, so its absence is only a warning.
void check_kueue_objects(const std::vector<core::Value>& documents, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
