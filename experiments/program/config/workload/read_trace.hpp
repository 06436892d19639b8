#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// Reads a source with `trace` and the keys beside it, and reads the trace once from beginning to
/// end, so that all errors in it, including unknown quotas, are known before anything runs.
/// Errors: recorded; InputError for a trace that cannot be read.
[[nodiscard]] std::optional<TraceFile> read_trace(const core::Value& source,
                                                  PodLabels& labels,
                                                  const core::Topology& tree,
                                                  core::Diagnostics& diagnostics);

/// Reads a trace that no document names as a source, also to its end.
/// Errors: recorded; InputError for a trace that cannot be read.
[[nodiscard]] TraceFile read_lone_trace(const TraceOrigin& origin,
                                        const core::Topology& tree,
                                        core::Diagnostics& diagnostics);

/// Whether a list of sources has a trace.
[[nodiscard]] bool has_traces(const core::Value* sources);

/// Whether GPUs are shared unless the profile says otherwise: if there is a trace, and the cluster
/// describes each of its GPUs.
[[nodiscard]] bool wants_shares(const core::Value* workload, const core::Topology& tree);

/// Reports what jobs of traces request and the profile's plug-ins do not provide.
void check_traces(const std::vector<WorkloadSource>& workload,
                  const sim::Profile& profile,
                  const core::SourceSpan& span,
                  core::Diagnostics& diagnostics);

}  // namespace berth::experiments
